import { expect, it } from "vitest";
import { compareCaptures, inspection, type Source } from "../../src/index.js";

/** The sources that must answer alike. */
export interface Pair {
  readonly live: Source;
  readonly offline: Source;
}

async function both<T>({ live, offline }: Pair, ask: (source: Source) => Promise<T>): Promise<void> {
  const [expected, found] = await Promise.all([ask(live), ask(offline)]);
  expect(found).toEqual(expected);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** One suite for the live API and its snapshot. */
export function sameAnswers(pair: () => Pair): void {
  it("tables", async () => {
    await both(pair(), async (source) => (await source.sites()).objects());
    await both(pair(), async (source) => (await source.sites({ id: [1, 3, 99] })).objects());
    await both(pair(), async (source) => (await source.operations({ status: "COMPLETED" })).objects());
    const operations = (await pair().live.operations()).array("id") as number[];
    await both(pair(), async (source) => (await source.blocks({ operation_id: operations })).objects());
    await both(pair(), async (source) => (await source.datasets({ site_id: [1, null] })).objects());
    await both(pair(), async (source) => (await source.datasets({ type: "geojson-layer" })).objects());
    await both(pair(), async (source) => (await source.datasets({ semantic_type: null })).objects());
    await both(pair(), async (source) => (await source.propertyDefinitions({ type: "OPTION" })).objects());
    await both(pair(), async (source) => (await source.sites({ id: [] })).objects());
  });

  it.each([
    { site_id: 1 },
    { site_id: [1, 2, 3, 4] },
    { semantic_type: "PUNCH_LIST_ITEMS" },
    { semantic_type: ["TRENCHES", "SOLAR_ANOMALIES"], site_id: 1, operation_id: null },
    { dataset_id: [1, 5, 9, 12] },
    { site_id: 77 },
  ])("the layer %j and its history", async (params) => {
    await both(pair(), async (source) => {
      const layer = await source.layer(params);
      return { rows: layer.table.objects(), schema: layer.schema, columns: layer.table.columnNames() };
    });
    await both(pair(), async (source) => {
      const history = await source.history(params);
      const past = history.layerAt("2025-06-30");
      const layer = { rows: past.table.objects(), schema: past.schema };
      return {
        layer,
        described: past.describe().objects(),
        geojson: past.toGeoJSON(),
        changes: history.changes().objects(),
        states: history.states("2025-06-30").objects(),
      };
    });
  });

  it("features in blocks, and from capture to capture", async () => {
    const operations = (await pair().live.operations()).array("id") as number[];
    await both(pair(), async (source) => {
      const layers = await Promise.all([1, 2].map((site_id) => source.layer({ site_id })));
      const [first] = layers;
      const blocks = await source.blocks({ operation_id: operations });
      const joined = blocks.numRows() > 0 ? await first?.join(blocks, { by: "within" }) : undefined;
      // Of a layer without features nothing says which operation it is of, and of some operations there are no blocks.
      const covered = await compareCaptures(layers, { maxDistance: 50, coverage: source }).then(
        (table) => table.objects(),
        String,
      );
      const counted = await inspection(layers, { classes: "semantic_type", maxDistance: 50, peakPower: source });
      return [
        joined?.objects(),
        (await compareCaptures(layers, { maxDistance: 50 })).objects(),
        covered,
        counted.objects(),
        counted.findings,
      ];
    });
  });

  it("raw records and pages", async () => {
    await both(pair(), (source) => collect(source.records("layerFeatures", { site_id: [2, 1] })));
    const ids = await collect(pair().live.records("layerFeatures", { site_id: 1 }));
    const layer_feature_id = ids.map(({ id }) => id);
    await both(pair(), (source) =>
      collect(source.records("propertyChanges", { layer_feature_id: layer_feature_id.slice(0, 150) })),
    );
    await both(pair(), (source) =>
      collect(
        source.pages("layerFeatures", { site_id: 1, _sortBy: ["-updated_at", "properties.STATUS"] }, { pageSize: 70 }),
      ),
    );
  });

  it("refuses the same", async () => {
    for (const source of [pair().live, pair().offline]) {
      await expect(source.sites({ nmae: 1 } as never)).rejects.toThrow(/no parameter "nmae"/);
      await expect(source.layer({})).rejects.toThrow(/needs at least one of/);
    }
  });
}
