import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { duckdbDialect } from "../../../src/history/questions/sql/dialect/duckdb-dialect.js";
import {
  type Engine,
  findingsOf,
  fromRecords,
  openSnapshot,
  provenanceOf,
  pull,
  type Questions,
  SiteframeError,
  type Snapshot,
} from "../../../src/index.js";
import { change, dataset, feature, uuid } from "../../support/records.js";
import { writeSmallCompany } from "../../support/small-company.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
let count = 0;
const newPath = (name = "company") => join(folder, `${++count}-${name}`);

async function small(use: (questions: Questions, snapshot: Snapshot) => Promise<void>): Promise<void> {
  const path = newPath();
  await writeSmallCompany(path);
  const snapshot = await openSnapshot(path);
  const questions = await snapshot.questions({ site_id: 12 });
  try {
    await use(questions, snapshot);
  } finally {
    await questions.close();
    await snapshot.close();
  }
}

describe("snapshot.questions()", () => {
  it("reports no unhandled error if findings cannot be read and are not awaited", async () => {
    await small(async (questions) => {
      await questions.close();
      // A getter, of which neither reads the promise.
      expect(findingsOf(questions)).toEqual([]);
      await expect(questions.findings).rejects.toThrow(SiteframeError);
    });
  });

  it("answers what a history answers, one line apart", async () => {
    await small(async (questions, snapshot) => {
      const history = await snapshot.history({ site_id: 12 });
      for (const asked of [history, questions]) {
        const table = await asked.asOf("2024-06-02");
        expect(table.columnNames().slice(0, 4)).toEqual(["id", "visible_id", "Depth", "STATUS"]);
        expect(table.array("id")).toEqual([1, 2]);
        expect(table.array("STATUS")).toEqual(["OPEN", "OPEN"]);
        expect(table.array("Depth")).toEqual([1.5, null]);
        expect(provenanceOf(table)).toEqual({ ...snapshot.provenance, asOf: "2024-06-02" });
        expect((await asked.totals("Depth", ["2024-06-05", "2024-06-06"])).array("sum")).toEqual([2.5, 3.5]);
        expect(await asked.findings).toEqual([]);
      }
      expect(provenanceOf((await questions.people()).hours)).toEqual(snapshot.provenance);
      expect(provenanceOf((await questions.reconcile()).mismatches)).toEqual(snapshot.provenance);
      expect([questions.engine, questions.changeCount]).toEqual(["DuckDB", 5]);
    });
  });

  it("adds up no texts, brought here, stored or written", async () => {
    await small(async (questions) => {
      const totals = questions.totals("STATUS", ["2024-06-05"]);
      const refused = {
        code: "ERR_ARGUMENT",
        message: expect.stringContaining('"STATUS" has none: it holds a string of 4 characters'),
      };
      const path = newPath("totals.parquet");
      await expect(totals).rejects.toMatchObject(refused);
      await expect(totals.copy(path)).rejects.toMatchObject(refused);
      for (const dialect of [undefined, "trino", "spark"] as const) {
        await expect(totals.sql(dialect)).rejects.toMatchObject(refused);
      }
      expect(existsSync(path)).toBe(false);
    });
  });

  it("refuses totals of objects in the words of a history", async () => {
    const path = newPath();
    const place = { b: 1, a: 2 };
    const records = {
      sites: [site(12)],
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: { PLACE: place } })],
      propertyChanges: [change(1, { property_key: "PLACE", new_value: place })],
    };
    await pull(fromRecords(records), path, { progress: false });
    const snapshot = await openSnapshot(path);
    const memory = await fromRecords(records).history({ site_id: 12 });
    const history = await snapshot.history({ site_id: 12 });
    await using questions = await snapshot.questions({ site_id: 12 });
    const refused = { code: "ERR_ARGUMENT", message: expect.stringContaining('"PLACE" has none: it holds an object.') };
    for (const asked of [memory, history]) {
      expect(() => asked.totals("PLACE", ["2024-06-05"])).toThrow(expect.objectContaining(refused));
    }
    await expect(questions.totals("PLACE", ["2024-06-05"])).rejects.toMatchObject(refused);
    await snapshot.close();
  });

  it("tells of a question about a time after the reading, as a history does", async () => {
    await small(async (questions) => {
      await questions.asOf("2025-01-01");
      expect(await questions.findings).toEqual([]);
      await questions.states("2026-01-01");
      expect((await questions.findings).map(({ code }) => code)).toEqual(["beyond-reading"]);
    });
  });

  it("knows what was known at an insertion, and of what was known then what was known before", async () => {
    await small(async (questions, snapshot) => {
      const history = await snapshot.history({ site_id: 12 });
      const known = await questions.knownAt(uuid(3).toUpperCase());
      expect(known.changeCount).toBe(3);
      const earlier = await known.knownAt(uuid(1));
      for (const [asked, expected] of [
        [known, history.knownAt(uuid(3))],
        [earlier, history.knownAt(uuid(3)).knownAt(uuid(1))],
        [await earlier.knownAt(uuid(5)), history.knownAt(uuid(1)).knownAt(uuid(5))],
      ] as const) {
        expect((await asked.states("2024-06-10")).objects()).toEqual(expected.states("2024-06-10").objects());
        expect((await asked.changes()).objects()).toEqual(expected.changes().objects());
        expect(asked.changeCount).toBe(expected.changeCount);
        expect(await asked.findings).toEqual(expected.findings);
      }
    });
  });

  it("finds the changes of features that moved to another site, and none of those that are gone", async () => {
    const path = newPath();
    const records = (features: readonly (readonly [id: number, site: number])[], edited: string) => ({
      sites: [site(11), site(12)],
      datasets: [dataset(1, { site_id: null })],
      layerFeatures: features.map(([id, site_id]) => feature(id, { site_id, updated_at: edited })),
      propertyChanges: [1, 2, 3].map((id) => change(id, { layer_feature_id: id, new_value: `of ${id}` })),
    });
    const now = (day: number) => () => new Date(Date.UTC(2025, 0, day));
    const first = records([[1, 11], [2, 11], [3, 12]], "2024-07-01T00:00:00Z"); // biome-ignore format: pairs
    await pull(fromRecords(first), path, { progress: false, now: now(1) });
    const second = records(
      [
        [1, 12],
        [3, 12],
      ],
      "2024-12-01T00:00:00Z",
    );
    await pull(fromRecords(second), path, { progress: false, now: now(2), allowShrink: true });
    const snapshot = await openSnapshot(path);
    for (const params of [{ site_id: 12 }, { site_id: 11 }, { site_id: [11, 12] }]) {
      const history = await snapshot.history(params);
      await using questions = await snapshot.questions(params);
      expect((await questions.states("2024-12-31")).objects()).toEqual(history.states("2024-12-31").objects());
      expect((await questions.changes()).objects()).toEqual(history.changes().objects());
    }
    await snapshot.close();
  });

  it("replaces persons with the pseudonyms of a history, and stores none of them", async () => {
    await small(async (_, snapshot) => {
      const history = await snapshot.history({ site_id: 12 }, { redact: true });
      await using questions = await snapshot.questions({ site_id: 12 }, { redact: true });
      expect((await questions.people()).objects()).toEqual(history.people().objects());
      expect((await questions.changes()).objects()).toEqual(history.changes().objects());
      expect((await questions.states("2024-06-04")).objects()).toEqual(history.states("2024-06-04").objects());
      for (const answer of [questions.people(), questions.changes(), questions.states("2024-06-04")]) {
        await expect(answer.copy(newPath("persons.parquet"))).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
        await expect(answer.sql()).rejects.toThrow(/redact: true/);
      }
      await questions.asOf("2024-06-04").copy(newPath("values.parquet"));
    });
  });

  it("refuses keys that features write in either case into columns of their own", async () => {
    const path = newPath();
    const key = uuid(9, "abcdabcd");
    await pull(
      fromRecords({
        sites: [site(12)],
        datasets: [dataset(1)],
        layerFeatures: [
          feature(1, { properties: { [key]: 1 } }),
          feature(2, { properties: { [key.toUpperCase()]: 2 } }),
        ],
      }),
      path,
      { progress: false },
    );
    const snapshot = await openSnapshot(path);
    await expect(snapshot.questions({ site_id: 12 })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: expect.stringContaining(key),
      hint: "Ask the history().",
    });
    await snapshot.close();
  });

  it("refuses what is no option, no engine, no parameter and no time, before it asks", async () => {
    await small(async (questions, snapshot) => {
      const refused = { code: "ERR_ARGUMENT" };
      const meant = { ...refused, hint: expect.stringContaining('Did you mean "STATUS"?') };
      await expect(snapshot.questions({ site_id: 12 }, { engin: 1 } as never)).rejects.toMatchObject(refused);
      await expect(snapshot.questions({ site_id: 12 }, { engine: "duckdb" } as never)).rejects.toMatchObject(refused);
      await expect(snapshot.questions({})).rejects.toMatchObject(refused);
      await expect(snapshot.questions({ site_id: 12 }, { timeZone: "Mars" })).rejects.toMatchObject(refused);
      await expect(snapshot.questions({ site_id: 12 }, { columns: ["Status"] })).rejects.toMatchObject(meant);
      await expect(questions.asOf("2024-02-30")).rejects.toMatchObject(refused);
      await expect(questions.asOf("2024-02-01", { column: "STATUS" } as never)).rejects.toMatchObject(refused);
      await expect(questions.intervals("Status").copy(newPath())).rejects.toMatchObject(meant);
      await expect(questions.intervals("STATUS").sql("sparc" as never)).rejects.toMatchObject({
        ...refused,
        hint: expect.stringMatching(/^Did you mean "spark"\? There are: "/),
      });
    });
  });

  it("leaves an engine open that was given, and closes its own", async () => {
    await small(async (questions, snapshot) => {
      const closed: string[] = [];
      const own = await snapshot.questions(
        { site_id: [] },
        { engine: { ...nobody, close: async () => void closed.push("closed") } },
      );
      await own.close();
      expect(closed).toEqual([]);
      await questions.close();
      await expect(questions.asOf("2024-06-02")).rejects.toMatchObject({ code: "ERR_ENGINE", engine: "DuckDB" });
    });
  });
});

/** An engine that has no rows. */
const nobody: Engine = {
  name: "Nobody",
  dialect: duckdbDialect,
  async *query() {},
  store: async () => {},
  close: async () => {},
};
