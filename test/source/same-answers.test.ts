import type { ColumnTable } from "arquero";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Records, ResourceName } from "../../src/api/resources.js";
import { compareCaptures } from "../../src/layer/compare-captures.js";
import { inspection } from "../../src/layer/inspection.js";
import type { History, Layer } from "../../src/layer/layer.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { tableToDanfo } from "../../src/tables/export/table-exports.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";

let service: SampleService;
let live: Source;
let memory: Source;

beforeAll(async () => {
  service = await startSampleService();
  live = connect({ baseUrl: service.url, apiKey: service.apiKey });
  const all = async <R extends ResourceName>(resource: R, params: never): Promise<Records[R][]> => {
    const rows: Records[R][] = [];
    for await (const row of live.records(resource, params)) rows.push(row);
    return rows;
  };
  const layerFeatures = await all("layerFeatures", { site_id: [101, 102, 103, null] } as never);
  memory = fromRecords({
    sites: await all("sites", {} as never),
    operations: await all("operations", {} as never),
    datasets: await all("datasets", {} as never),
    blocks: await all("blocks", { operation_id: [2001, 2006, 2009, 2011] } as never),
    propertyDefinitions: await all("propertyDefinitions", {} as never),
    layerFeatures,
    propertyChanges: await all("propertyChanges", { layer_feature_id: layerFeatures.map(({ id }) => id) } as never),
  });
});

afterAll(async () => {
  await live.close();
  await service.close();
});

async function both<T>(ask: (source: Source) => Promise<T>): Promise<readonly [T, T]> {
  return Promise.all([ask(live), ask(memory)]);
}

function expectSame([ours, theirs]: readonly [ColumnTable, ColumnTable]): void {
  expect(ours.numRows()).toBeGreaterThan(0);
  expect(ours.columnNames()).toEqual(theirs.columnNames());
  expect(ours.objects()).toEqual(theirs.objects());
}

describe("the live API and the same records in memory give the same", () => {
  it.each(["sites", "operations", "datasets", "propertyDefinitions"] as const)("%s", async (resource) => {
    expectSame(await both<ColumnTable>((source) => source[resource]()));
  });

  it.each(["PUNCH_LIST_ITEMS", "TRENCHES", "SOLAR_PANELS", "SOLAR_ANOMALIES", "DEVIATIONS", "WIND_ANOMALIES"])(
    "layer of %s",
    async (semantic_type) => {
      const [ours, theirs] = await both((source) => source.layer({ semantic_type }));
      expectSame([ours.table, theirs.table]);
      expect(ours.schema).toEqual(theirs.schema);
      expect(ours.findings).toEqual(theirs.findings);
    },
  );

  const month = { from: "2024-01-31", to: "2026-06-30", every: "month" } as const;
  const calls: readonly (readonly [string, (history: History, layer: Layer) => ColumnTable])[] = [
    ["changes", (history) => history.changes()],
    ["asOf", (history) => history.asOf("2025-06-30")],
    ["layerAt", (history) => history.layerAt("2025-06-30").table],
    ["layerAt.describe", (history) => history.layerAt("2025-06-30").describe()],
    ["states", (history) => history.states("2025-06-30")],
    ["panel", (history) => history.panel(month, { columns: ["STATUS"] })],
    ["counts", (history) => history.counts("STATUS", month)],
    ["totals", (history) => history.totals("PROGRESS", month)],
    ["intervals", (history) => history.intervals("STATUS")],
    ["durations", (history) => history.durations("STATUS", { until: "2026-06-30" })],
    ["transitions", (history) => history.transitions("STATUS")],
    ["steps", (history) => history.steps("STATUS")],
    ["reached", (history) => history.reached("STATUS", history.intervals("STATUS").get("value", 0))],
    [
      "at",
      (history) => history.at(history.steps("STATUS"), { id: "id", time: "changed_at_us", state: true, age: true }),
    ],
    ["diff", (history) => history.diff("2026-03-31", "2026-06-30")],
    ["knownAt", (history) => history.knownAt("2026-01-01").asOf("2026-06-30")],
    ["lateEdits", (history) => history.lateEdits()],
    ["causes", (history) => history.causes()],
    ["reconcile", (history) => history.reconcile()],
    ["reconcile.mismatches", (history) => history.reconcile().mismatches],
    ["people", (history) => history.people()],
    ["people.hours", (history) => history.people().hours],
  ];

  it("what relations lead to, and the blocks that it lies in", async () => {
    const tables = await both(async (source) => {
      const panels = await source.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" });
      const models = await source.layer({ site_id: null, operation_id: null });
      const rated = panels.follow("Module type", models, ["Rated power", "visible_id"], { prefix: "Module type: " });
      const blocks = await source.blocks({ operation_id: 2001 });
      expect(rated.findings).toEqual(panels.findings);
      return rated.join(blocks, { by: "within" });
    });
    expectSame(tables);
    expect(tables[0].array("other.name")).toContain("Block 01");
    expect(tables[0].array("Module type: Rated power")).toContain(580);
  });

  it("compareCaptures", async () => {
    const options = { maxDistance: 1, relation: "Previous finding" };
    const tables = await both(async (source) => {
      const layers = await Promise.all(
        [2006, 2009, 2011].map((operation_id) => source.layer({ operation_id, semantic_type: "SOLAR_ANOMALIES" })),
      );
      return compareCaptures(layers, options);
    });
    expectSame(tables);
    expect(tables[0].array("status")).toEqual(expect.arrayContaining(["new", "persistent", "fixed"]));
  });

  it("inspection, with the blocks and the peak power of the source", async () => {
    const tables = await both(async (source) => {
      const layers = await Promise.all(
        [2006, 2009, 2011].map((operation_id) => source.layer({ operation_id, semantic_type: "SOLAR_ANOMALIES" })),
      );
      return inspection(layers, {
        classes: "Class",
        factors: { hot_spot: 0.1, diode: 0.33, string: 1 },
        modules: { hot_spot: 1, diode: 1, string: 24 },
        ratedPower: 580,
        maxDistance: 1,
        coverage: source,
        peakPower: source,
        by: ["capture", "block", "class"],
      });
    });
    expectSame(tables);
    for (const name of ["totals", "changes", "anomalies"] as const) expectSame([tables[0][name], tables[1][name]]);
    expect(tables[0].array("block")).toContain("Block 01");
    expect(tables[0].findings).toEqual(tables[1].findings);
  });

  it.each(calls)("history.%s, which Danfo takes too", async (_, call) => {
    const ask = async (source: Source) => {
      const layer = await source.layer({ site_id: 101, semantic_type: ["PUNCH_LIST_ITEMS", "TRENCHES"] });
      return call(await layer.history({ timeZone: "Europe/Madrid" }), layer);
    };
    const tables = await both(ask);
    expectSame(tables);
    expect((await tableToDanfo(tables[0])).shape).toEqual([tables[0].numRows(), tables[0].numCols()]);
  });
});
