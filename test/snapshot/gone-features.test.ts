import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull, type Snapshot } from "../../src/index.js";
import { change, feature, uuid } from "../support/records.js";
import { site } from "./moving-service.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "gone.snapshot");

const features = [1, 2, 3].map((id) => feature(id, { properties: { STATUS: "OPEN" } }));
const changes = [
  change(1, { id: uuid(1, "018d0000"), layer_feature_id: 1, new_value: "OPEN", created_at: "2024-01-10T00:00:00Z" }),
  change(2, { id: uuid(2, "018d0000"), layer_feature_id: 2, new_value: "CLOSED", created_at: "2024-01-10T00:00:00Z" }),
  change(3, { id: uuid(3, "018d0000"), layer_feature_id: 2, new_value: "OPEN", created_at: "2024-01-20T00:00:00Z" }),
];

/** Feature 2 was read on 1 March, and no longer on 1 May; the last pull is of 1 June. */
async function pullAt(time: string, gone: readonly number[]): Promise<void> {
  const source = fromRecords(
    {
      sites: [site(12)],
      layerFeatures: features.filter(({ id }) => !gone.includes(id)),
      propertyChanges: changes.filter(({ layer_feature_id: id }) => !gone.includes(id)),
    },
    { readAt: new Date(time) },
  );
  await pull(source, path, { now: () => new Date(time), allowShrink: true, showProgress: false });
}

let snapshot: Snapshot;

beforeAll(async () => {
  await pullAt("2024-03-01T00:00:00Z", []);
  await pullAt("2024-05-01T00:00:00Z", [2]);
  await pullAt("2024-06-01T00:00:00Z", [2]);
  snapshot = await openSnapshot(path);
  return () => snapshot.close();
});

const trenches = { semantic_type: "TRENCHES" } as const;

describe("features that are gone", () => {
  it("are part of dates before, and of no dates after", async () => {
    const history = await snapshot.history(trenches);
    const idsAt = (time: string) => history.asOf(time).array("id");
    expect(idsAt("2024-02-01")).toEqual([1, 2, 3]);
    expect(history.asOf("2024-01-15").array("STATUS")).toEqual(["OPEN", "CLOSED", "OPEN"]);
    expect(history.layerAsOf("2024-02-01").table.array("id")).toEqual([1, 2, 3]);
    expect(idsAt("2024-04-30T23:59:59.999999Z")).toEqual([1, 2, 3]);
    expect(idsAt("2024-05-01T00:00:00Z")).toEqual([1, 3]);
    expect((await snapshot.layer(trenches)).table.array("id")).toEqual([1, 3]);
    const found = history.diagnostics.find(({ code }) => code === "feature-gone");
    expect(found).toMatchObject({ count: 1, facts: { ids: [2] } });
  });

  it("can be left out", async () => {
    const history = await snapshot.history(trenches, { gone: "exclude" });
    expect(history.asOf("2024-02-01").array("id")).toEqual([1, 3]);
    expect(history.diagnostics.map(({ code }) => code)).not.toContain("feature-gone");
    await expect(snapshot.history(trenches, { gone: "keep" as never })).rejects.toThrow(
      /gone must be "include" or "exclude"/,
    );
  });

  it("leave counts, panels and intervals at the pull that missed them", async () => {
    const history = await snapshot.history(trenches);
    const dates = ["2024-02-01", "2024-04-30", "2024-05-01"];
    expect(history.panel(dates, { columns: ["STATUS"] }).array("id")).toEqual([1, 2, 3, 1, 2, 3, 1, 3]);
    const counts = history.counts("STATUS", dates).objects() as { date: string; count: number }[];
    const totals = dates.map((date) =>
      counts.filter((row) => row.date === date).reduce((sum, row) => sum + row.count, 0),
    );
    expect(totals).toEqual([3, 3, 2]);
    const ends = history.intervals("STATUS").objects() as { id: number; valid_to: Date | null }[];
    expect(ends.filter(({ id }) => id === 2).map(({ valid_to }) => valid_to?.toISOString() ?? null)).toEqual([
      "2024-01-10T00:00:00.000Z",
      "2024-01-20T00:00:00.000Z",
      "2024-05-01T00:00:00.000Z",
    ]);
    const gone = history.diff("2024-04-01", "2024-05-02").objects();
    expect(gone).toMatchObject([{ id: 2, column: "STATUS", before: "OPEN", after: null, after_state: "absent" }]);
  });

  it("are rows of SQL before, and not after", async () => {
    const count = async (time: string) => {
      const found = await snapshot.sql(`SELECT count(*)::INTEGER AS n FROM TRENCHES_AT('${time}')`);
      return found.get("n", 0);
    };
    expect([await count("2024-02-01"), await count("2024-05-01"), await count("2024-06-01")]).toEqual([3, 2, 2]);
    await using kept = await snapshot.lazyHistory(trenches);
    const absent = await kept.states("2024-06-01", { absent: "keep" });
    const memory = (await snapshot.history(trenches)).states("2024-06-01", { absent: "keep" });
    expect(absent.objects()).toEqual(memory.objects());
    expect(memory.filter((row: { id: number }) => row.id === 2).array("state")).toEqual(["absent"]);
    const states = await snapshot.sql("SELECT DISTINCT id FROM TRENCHES_STATES('2024-02-01') ORDER BY id");
    expect(states.array("id")).toEqual([1, 2, 3]);
    const present = await snapshot.sql("SELECT id FROM TRENCHES ORDER BY id");
    expect(present.array("id")).toEqual([1, 3]);
  });
});

describe("values as known at a time", () => {
  it("are the same in SQL and in a history", async () => {
    const history = await snapshot.history(trenches);
    for (const [time, known] of [
      ["2024-12-01", "2023-12-01"],
      ["2024-12-01", "2024-04-01"],
      ["2024-12-01", "2024-05-15"],
      ["2024-01-15", uuid(1, "018d0000")],
    ] as const) {
      const found = await snapshot.sql(`SELECT id, "STATUS" FROM TRENCHES_KNOWN_AT('${time}', '${known}') ORDER BY id`);
      expect(found.objects()).toEqual(history.knownAt(known).asOf(time).select("id", "STATUS").objects());
    }
    const both = `SELECT (SELECT count(*) FROM TRENCHES_KNOWN_AT(DATE '2024-12-01', DATE '2024-04-01'))::INTEGER AS early,
      (SELECT count(*) FROM TRENCHES_KNOWN_AT('2024-12-01', '2024-05-15'))::INTEGER AS late`;
    expect((await snapshot.sql(both)).objects()).toEqual([{ early: 3, late: 2 }]);
    await expect(snapshot.sql("FROM TRENCHES_KNOWN_AT('2024-12-01')")).rejects.toThrow(/TRENCHES_KNOWN_AT/);
    await expect(snapshot.sql("FROM TRENCHES_KNOWN_AT('2024-12-01', 'then')")).rejects.toThrow(
      "TRENCHES_KNOWN_AT(): invalid arguments",
    );
    for (const query of ["FROM TRENCHES_KNOWN_AT('2024-12-01')", "FROM TRENCHES_AT('2024-12-01', '2024-05-15')"]) {
      await expect(snapshot.toSQL(query)).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    }
    const printed = await snapshot.toSQL("FROM TRENCHES_KNOWN_AT('2024-12-01', '2024-05-15')", { dialect: "trino" });
    expect(printed).toContain("gone_features");
  });

  it("exclude features created later, and include features not yet known to be gone", async () => {
    const history = await snapshot.history(trenches);
    expect(history.knownAt("2023-12-01").asOf("2024-12-01").array("id")).toEqual([]);
    expect(history.knownAt("2024-04-01").asOf("2024-12-01").array("id")).toEqual([1, 2, 3]);
    expect(history.knownAt("2024-05-15").asOf("2024-12-01").array("id")).toEqual([1, 3]);
    const stateAt = (knownAt: string) =>
      history.joinAsOf([{ id: 2, when: "2024-12-01" }], { id: "id", time: "when", knownAt, state: true });
    expect(stateAt("2024-04-01").array("STATUS")).toEqual(["OPEN"]);
    expect(stateAt("2024-05-15").array("STATUS.state")).toEqual(["absent"]);
  });
});
