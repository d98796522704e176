import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { duckdbDialect } from "../../../src/history/questions/sql/dialect/duckdb-dialect.js";
import {
  type Diagnostic,
  diagnosticsOf,
  type Engine,
  fromRecords,
  type LazyHistory,
  provenanceOf,
  pull,
  SiteframeError,
  type Snapshot,
} from "../../../src/index.js";
import { change, dataset, feature, uuid } from "../../support/records.js";
import { writeSmallCompany } from "../../support/small-company.js";
import { site } from "../moving-service.js";
import { openedSnapshot, pulledSnapshot } from "../opened-snapshot.js";
import { reportedDiagnostics } from "../reported-diagnostics.js";
import { temporaryPaths } from "../temporary-folder.js";

const newPath = temporaryPaths();

/** A small snapshot and its questions, which are closed when the test ends. */
async function openSmall(): Promise<{ readonly snapshot: Snapshot; readonly questions: LazyHistory }> {
  const path = newPath();
  await writeSmallCompany(path);
  const snapshot = await openedSnapshot(path);
  const questions = await snapshot.lazyHistory({ site_id: 12 });
  onTestFinished(() => questions.close());
  return { snapshot, questions };
}

describe("snapshot.lazyHistory()", () => {
  it("has no unhandled error if diagnostics cannot be read and are not awaited", async () => {
    const { questions } = await openSmall();
    await questions.close();
    // The getter makes a promise that is not read.
    expect(diagnosticsOf(questions)).toEqual([]);
    await expect(questions.diagnostics).rejects.toThrow(SiteframeError);
  });

  it("returns the same as a history, with the same provenance", async () => {
    const { snapshot, questions } = await openSmall();
    const history = await snapshot.history({ site_id: 12 });
    for (const source of [history, questions]) {
      const table = await source.asOf("2024-06-02");
      expect(table.columnNames().slice(0, 4)).toEqual(["id", "visible_id", "Depth", "STATUS"]);
      expect(table.array("id")).toEqual([1, 2]);
      expect(table.array("STATUS")).toEqual(["OPEN", "OPEN"]);
      expect(table.array("Depth")).toEqual([1.5, null]);
      expect(provenanceOf(table)).toEqual({ ...snapshot.provenance, asOf: "2024-06-02" });
      expect((await source.totals("Depth", ["2024-06-05", "2024-06-06"])).array("sum")).toEqual([2.5, 3.5]);
      expect(await source.diagnostics).toEqual([]);
    }
    expect(provenanceOf((await questions.editsByUser()).hours)).toEqual(snapshot.provenance);
    expect(provenanceOf((await questions.reconcile()).mismatches)).toEqual(snapshot.provenance);
    expect([questions.engine, questions.length]).toEqual(["DuckDB", 5]);
  });

  it("refuses totals of strings in all its forms", async () => {
    const { questions } = await openSmall();
    const totals = questions.totals("STATUS", ["2024-06-05"]);
    const refused = {
      code: "ERR_ARGUMENT",
      message: expect.stringContaining('"STATUS" has no numbers: it holds a string of 4 characters'),
    };
    const path = newPath("totals.parquet");
    await expect(totals).rejects.toMatchObject(refused);
    await expect(totals.writeTo(path)).rejects.toMatchObject(refused);
    for (const dialect of [undefined, "trino", "spark"] as const) {
      await expect(totals.toSQL(dialect)).rejects.toMatchObject(refused);
    }
    expect(existsSync(path)).toBe(false);
  });

  it("refuses totals of objects with the message of a history", async () => {
    const place = { b: 1, a: 2 };
    const records = {
      sites: [site(12)],
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: { PLACE: place } })],
      propertyChanges: [change(1, { property_key: "PLACE", new_value: place })],
    };
    const snapshot = await pulledSnapshot(records);
    const memory = await fromRecords(records).history({ site_id: 12 });
    const history = await snapshot.history({ site_id: 12 });
    await using questions = await snapshot.lazyHistory({ site_id: 12 });
    const refused = {
      code: "ERR_ARGUMENT",
      message: expect.stringContaining('"PLACE" has no numbers: it holds an object.'),
    };
    for (const asked of [memory, history]) {
      expect(() => asked.totals("PLACE", ["2024-06-05"])).toThrow(expect.objectContaining(refused));
    }
    await expect(questions.totals("PLACE", ["2024-06-05"])).rejects.toMatchObject(refused);
  });

  it("refuses an unknown weight with the message of a history", async () => {
    const snapshot = await pulledSnapshot({ layerFeatures: [feature(1, { properties: { STATUS: "OPEN" } })] });
    const history = await snapshot.history({ site_id: 12 });
    await using questions = await snapshot.lazyHistory({ site_id: 12 });
    const refused = { message: 'panel(): weight: unknown column "Lenght".', hint: expect.stringContaining('"length"') };
    const options = { weight: "Lenght" };
    expect(() => history.panel(["2024-06-05"], options)).toThrow(expect.objectContaining(refused));
    await expect(questions.panel(["2024-06-05"], options)).rejects.toMatchObject(refused);
  });

  it("reports times after the reading, as a history does", async () => {
    const { questions } = await openSmall();
    await questions.asOf("2025-01-01");
    expect(await questions.diagnostics).toEqual([]);
    await questions.states("2026-01-01");
    expect((await questions.diagnostics).map(({ code }) => code)).toEqual(["date-after-read"]);
  });

  it("passes each diagnostic of the log to onDiagnostic once, as a history does", async () => {
    const key = uuid(1);
    const snapshot = await pulledSnapshot({
      sites: [site(12)],
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: { [key]: 1 }, created_at: "2016-12-31T23:59:60Z" })],
      propertyChanges: [change(1, { property_key: key, new_value: 1, created_at: "2025-01-01T00:00:00" })],
    });
    for (const params of [{ site_id: 12 }, { site_id: 13 }]) {
      const codesOf = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code }) => code).sort();
      const ofHistory = await reportedDiagnostics((onDiagnostic) => snapshot.history(params, { onDiagnostic }));
      const ofLazy = await reportedDiagnostics(async (onDiagnostic) => {
        await using lazy = await snapshot.lazyHistory(params, { onDiagnostic });
        await lazy.asOf("2025-06-30");
      });
      expect(codesOf(ofHistory)).toContain(params.site_id === 12 ? "timestamp-without-zone" : "site-not-found");
      expect(codesOf(ofLazy)).toEqual(codesOf(ofHistory));
    }
  });

  it("has knownAt(), also of a result of knownAt()", async () => {
    const { snapshot, questions } = await openSmall();
    const history = await snapshot.history({ site_id: 12 });
    const known = await questions.knownAt(uuid(3).toUpperCase());
    expect(known.length).toBe(3);
    const earlier = await known.knownAt(uuid(1));
    for (const [asked, expected] of [
      [known, history.knownAt(uuid(3))],
      [earlier, history.knownAt(uuid(3)).knownAt(uuid(1))],
      [await earlier.knownAt(uuid(5)), history.knownAt(uuid(1)).knownAt(uuid(5))],
    ] as const) {
      expect((await asked.states("2024-06-10")).objects()).toEqual(expected.states("2024-06-10").objects());
      expect((await asked.changes()).objects()).toEqual(expected.changes().objects());
      expect(asked.length).toBe(expected.length);
      expect(await asked.diagnostics).toEqual(expected.diagnostics);
    }
  });

  it("finds the changes of features that moved to another site", async () => {
    const path = newPath();
    const records = (features: readonly (readonly [id: number, site: number])[], edited: string) => ({
      sites: [site(11), site(12)],
      datasets: [dataset(1, { site_id: null })],
      layerFeatures: features.map(([id, site_id]) => feature(id, { site_id, updated_at: edited })),
      propertyChanges: [1, 2, 3].map((id) => change(id, { layer_feature_id: id, new_value: `of ${id}` })),
    });
    const now = (day: number) => () => new Date(Date.UTC(2025, 0, day));
    const first = records([[1, 11], [2, 11], [3, 12]], "2024-07-01T00:00:00Z"); // biome-ignore format: pairs
    await pull(fromRecords(first), path, { showProgress: false, now: now(1) });
    const second = records(
      [
        [1, 12],
        [3, 12],
      ],
      "2024-12-01T00:00:00Z",
    );
    await pull(fromRecords(second), path, { showProgress: false, now: now(2), allowShrink: true });
    const snapshot = await openedSnapshot(path);
    for (const params of [{ site_id: 12 }, { site_id: 11 }, { site_id: [11, 12] }]) {
      const history = await snapshot.history(params);
      await using questions = await snapshot.lazyHistory(params);
      expect((await questions.states("2024-12-31")).objects()).toEqual(history.states("2024-12-31").objects());
      expect((await questions.changes()).objects()).toEqual(history.changes().objects());
    }
  });

  it("replaces persons with the pseudonyms of a history, and does not store them", async () => {
    const { snapshot } = await openSmall();
    const history = await snapshot.history({ site_id: 12 }, { redact: true });
    await using questions = await snapshot.lazyHistory({ site_id: 12 }, { redact: true });
    expect((await questions.editsByUser()).objects()).toEqual(history.editsByUser().objects());
    expect((await questions.changes()).objects()).toEqual(history.changes().objects());
    expect((await questions.states("2024-06-04")).objects()).toEqual(history.states("2024-06-04").objects());
    for (const answer of [questions.editsByUser(), questions.changes(), questions.states("2024-06-04")]) {
      await expect(answer.writeTo(newPath("persons.parquet"))).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
      await expect(answer.toSQL()).rejects.toThrow(/redact: true/);
    }
    await questions.asOf("2024-06-04").writeTo(newPath("values.parquet"));
  });

  it("refuses keys that features write in upper and lower case", async () => {
    const key = uuid(9, "abcdabcd");
    const snapshot = await pulledSnapshot({
      layerFeatures: [feature(1, { properties: { [key]: 1 } }), feature(2, { properties: { [key.toUpperCase()]: 2 } })],
    });
    await expect(snapshot.lazyHistory({ site_id: 12 })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: expect.stringContaining(key),
      hint: "Use a history in memory: await snapshot.history(…).",
    });
  });

  it("refuses invalid options, engines, parameters and times", async () => {
    const { snapshot, questions } = await openSmall();
    const refused = { code: "ERR_ARGUMENT" };
    const meant = { ...refused, hint: expect.stringContaining('Did you mean "STATUS"?') };
    await expect(snapshot.lazyHistory({ site_id: 12 }, { engin: 1 } as never)).rejects.toMatchObject(refused);
    await expect(snapshot.lazyHistory({ site_id: 12 }, { engine: "duckdb" } as never)).rejects.toMatchObject(refused);
    await expect(snapshot.lazyHistory({})).rejects.toMatchObject(refused);
    await expect(snapshot.lazyHistory({ site_id: 12 }, { timeZone: "Mars" })).rejects.toMatchObject(refused);
    await expect(snapshot.lazyHistory({ site_id: 12 }, { columns: ["Status"] })).rejects.toMatchObject(meant);
    await expect(questions.asOf("2024-02-30")).rejects.toMatchObject(refused);
    await expect(questions.asOf("2024-02-01", { column: "STATUS" } as never)).rejects.toMatchObject(refused);
    await expect(questions.intervals("Status").writeTo(newPath())).rejects.toMatchObject(meant);
    await expect(questions.intervals("STATUS").toSQL("sparc" as never)).rejects.toMatchObject({
      ...refused,
      hint: expect.stringMatching(/^Did you mean "spark"\? There are: "/),
    });
  });

  it("closes its own engine only", async () => {
    const { snapshot, questions } = await openSmall();
    const close = vi.fn(async () => {});
    const given = await snapshot.lazyHistory({ site_id: [] }, { engine: { ...emptyEngine, close } });
    await given.close();
    expect(close).not.toHaveBeenCalled();
    await questions.close();
    await expect(questions.asOf("2024-06-02")).rejects.toMatchObject({ code: "ERR_ENGINE", engine: "DuckDB" });
  });
});

/** An engine that has no rows. */
const emptyEngine: Engine = {
  name: "Empty",
  dialect: duckdbDialect,
  async *query() {},
  store: async () => {},
  close: async () => {},
};
