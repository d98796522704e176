import type { ColumnTable } from "arquero";
import { beforeAll, expect, it } from "vitest";
import { compareCaptures, connect, type History, inspection, type Source } from "../../src/index.js";
import { startSampleService } from "../support/sample-service.js";

const month = { from: "2024-01-31", until: "2026-06-30", every: "month" } as const;

/** Every table of a history. */
export const historyCalls: readonly (readonly [call: string, ask: (history: History) => ColumnTable])[] = [
  ["changes", (history) => history.changes()],
  ["asOf", (history) => history.asOf("2025-06-30")],
  ["layerAsOf.describe", (history) => history.layerAsOf("2025-06-30").describe()],
  ["states", (history) => history.states("2025-06-30")],
  ["panel", (history) => history.panel(month, { columns: ["STATUS"] })],
  ["counts", (history) => history.counts("STATUS", month)],
  ["totals", (history) => history.totals("PROGRESS", month)],
  ["intervals", (history) => history.intervals("STATUS")],
  ["durations", (history) => history.durations("STATUS", { until: "2026-06-30" })],
  ["transitions", (history) => history.transitions("STATUS")],
  ["steps", (history) => history.steps("STATUS")],
  ["reached", (history) => history.firstReached("STATUS", history.intervals("STATUS").get("value", 0))],
  [
    "at",
    (history) => history.joinAsOf(history.steps("STATUS"), { id: "id", time: "changed_at_us", state: true, age: true }),
  ],
  ["diff", (history) => history.diff("2026-03-31", "2026-06-30")],
  ["knownAt", (history) => history.knownAt("2026-01-01").asOf("2026-06-30")],
  ["lateEdits", (history) => history.lateEdits()],
  ["causes", (history) => history.causeTrees()],
  ["reconcile", (history) => history.reconcile()],
  ["reconcile.mismatches", (history) => history.reconcile().mismatches],
  ["people", (history) => history.editsByUser()],
  ["people.hours", (history) => history.editsByUser().hours],
];

/** A history of two layers of the sample company. */
export function sampleHistory(source: Source): Promise<History> {
  const params = { site_id: 101, semantic_type: ["PUNCH_LIST_ITEMS", "TRENCHES"] };
  return source.history(params, { timeZone: "Europe/Madrid" });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * Tests that a source returns the same as the live API of the sample company.
 *
 * @param open opens the source, which is closed after the tests
 */
export function sameAnswers(open: (live: Source) => Promise<Source>): void {
  let live: Source;
  let other: Source;
  beforeAll(async () => {
    const service = await startSampleService();
    live = connect({ baseUrl: service.url, apiKey: service.apiKey });
    other = await open(live);
    return async () => {
      await other.close();
      await live.close();
      await service.close();
    };
  });

  /** Expects both sources to return the same, and returns it. */
  async function both<T>(ask: (source: Source) => Promise<T>): Promise<T> {
    const [expected, found] = await Promise.all([ask(live), ask(other)]);
    expect(found).toEqual(expected);
    return expected;
  }

  /** As `both`, for a table that has rows. */
  async function bothTables(ask: (source: Source) => Promise<ColumnTable>): Promise<readonly object[]> {
    const { rows } = await both(async (source) => {
      const table = await ask(source);
      return { columns: table.columnNames(), rows: table.objects() };
    });
    expect(rows.length).toBeGreaterThan(0);
    return rows;
  }

  const captures = (source: Source) =>
    Promise.all(
      [2006, 2009, 2011].map((operation_id) => source.layer({ operation_id, semantic_type: "SOLAR_ANOMALIES" })),
    );

  it.each<[string, (source: Source) => Promise<ColumnTable>]>([
    ["sites", (source) => source.sites()],
    ["sites by id", (source) => source.sites({ id: [101, 103, 999] })],
    ["operations", (source) => source.operations()],
    ["operations by status", (source) => source.operations({ status: "COMPLETED" })],
    ["blocks", (source) => source.blocks({ operation_id: [2001, 2006, 2009, 2011] })],
    ["datasets", (source) => source.datasets()],
    ["datasets by site", (source) => source.datasets({ site_id: [101, null] })],
    ["property definitions", (source) => source.propertyDefinitions()],
    ["property definitions by type", (source) => source.propertyDefinitions({ type: "OPTION" })],
  ])("%s", async (_, ask) => {
    await bothTables(ask);
  });

  it.each([
    { site_id: [101, 102, 103, null] },
    { semantic_type: "PUNCH_LIST_ITEMS" },
    { semantic_type: ["TRENCHES", "SOLAR_ANOMALIES"], site_id: 101, operation_id: null },
    { dataset_id: [5001, 5002] },
  ])("the layer %j and its past", async (params) => {
    const { rows } = await both(async (source) => {
      const { table, schema, diagnostics } = await source.layer(params);
      return { rows: table.objects(), columns: table.columnNames(), schema, diagnostics };
    });
    expect(rows.length).toBeGreaterThan(0);
    await both(async (source) => {
      const past = (await source.history(params)).layerAsOf("2025-06-30");
      return { rows: past.table.objects(), schema: past.schema, geojson: past.toGeoJSON() };
    });
  });

  const histories = new Map<Source, Promise<History>>();
  it.each(historyCalls)("history.%s", async (_, call) => {
    await bothTables(async (source) => {
      const history = histories.get(source) ?? sampleHistory(source);
      histories.set(source, history);
      return call(await history);
    });
  });

  it("related features, and blocks around features", async () => {
    const rows = await bothTables(async (source) => {
      const panels = await source.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" });
      const models = await source.layer({ site_id: null, operation_id: null });
      const rated = panels.lookup("Module type", models, ["Rated power", "visible_id"], { prefix: "Module type: " });
      expect(rated.diagnostics).toEqual(panels.diagnostics);
      return rated.spatialJoin(await source.blocks({ operation_id: 2001 }), { predicate: "within" });
    });
    expect(rows).toContainEqual(expect.objectContaining({ "other.name": "Block 01" }));
    expect(rows).toContainEqual(expect.objectContaining({ "Module type: Rated power": 580 }));
  });

  it("comparisons of captures", async () => {
    const options = { maxMeters: 1, relation: "Previous finding" };
    const rows = await bothTables(async (source) => compareCaptures(await captures(source), options));
    const statuses = (rows as readonly { readonly status: string }[]).map(({ status }) => status);
    expect(statuses).toEqual(expect.arrayContaining(["new", "persistent", "fixed"]));
    await bothTables(async (source) => compareCaptures(await captures(source), { ...options, surveyArea: source }));
  });

  it("inspections with the blocks and the peak power of the source", async () => {
    const inspect = async (source: Source) =>
      inspection(await captures(source), {
        classColumn: "Class",
        factors: { hot_spot: 0.1, diode: 0.33, string: 1 },
        modules: { hot_spot: 1, diode: 1, string: 24 },
        ratedPower: 580,
        maxMeters: 1,
        surveyArea: source,
        peakPower: source,
        by: ["capture", "block", "class"],
      });
    const rows = await bothTables(inspect);
    expect(rows).toContainEqual(expect.objectContaining({ block: "Block 01" }));
    for (const name of ["totals", "changes", "anomalies"] as const) {
      await bothTables(async (source) => (await inspect(source))[name]);
    }
    await both(async (source) => (await inspect(source)).diagnostics);
  });

  it("records and pages", async () => {
    const features = await both((source) => collect(source.records("layerFeatures", { site_id: [102, 101] })));
    const layer_feature_id = features.slice(0, 150).map(({ id }) => id);
    const changes = await both((source) => collect(source.records("propertyChanges", { layer_feature_id })));
    const params = { site_id: 101, _sortBy: ["-updated_at", "properties.STATUS"] };
    const pages = await both((source) => collect(source.pages("layerFeatures", params, { pageSize: 70 })));
    expect(Math.min(changes.length, pages.length)).toBeGreaterThan(1);
  });

  it("refusals of unknown parameters and of empty filters", async () => {
    for (const source of [live, other]) {
      await expect(source.sites({ nmae: 1 } as never)).rejects.toThrow(/no parameter "nmae"/);
      await expect(source.layer({})).rejects.toThrow(/needs at least one of/);
    }
  });
}
