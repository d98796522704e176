import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { resolveFilters } from "../../src/api/filters.js";
import { openSnapshot, provenanceOf, pull, type Snapshot } from "../../src/index.js";
import { readFeatures } from "../../src/source/read-layer.js";
import { displaySymbol } from "../../src/tables/display/mime-bundle.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { writeSample } from "../support/asked-sample.js";
import { countedValues, valuesOf } from "../support/counted-values.js";
import { openedSnapshot } from "./opened-snapshot.js";
import { sameAnswers } from "./same-answers.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "sample.snapshot");
let offline: Snapshot;

beforeAll(async () => {
  await writeSample(path, { features: 1000 });
  offline = await openSnapshot(path);
  return () => offline.close();
});

describe("a pulled snapshot returns the same as the live API", () => {
  sameAnswers(async (live) => {
    const pulled = join(folder, "pulled.snapshot");
    await pull(live, pulled);
    return openSnapshot(pulled);
  });
});

describe("openSnapshot", () => {
  it("has the folder and the generation as origin", async () => {
    expect(offline.origin).toEqual({ kind: "snapshot", name: path, generation: 1 });
    await expect(openSnapshot(path, { generation: 2 })).rejects.toThrow(/has no generation 2/);
    await expect(openSnapshot(join(path, "none"))).rejects.toThrow(/No snapshot at/);
  });

  it("shows generation and age below layers, histories and tables", async () => {
    const layer = await offline.layer({ site_id: 101 });
    const history = await layer.history();
    const caption = `${path}, generation 1, read ${layer.readAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    for (const value of [layer, history]) expect(Object.values(value[displaySymbol]()).join()).toContain(caption);
    for (const table of [layer.table.filter("d => d.id > 3"), history.asOf("2025-01-01"), await offline.sites()]) {
      const bundle = await toMimeBundle(table);
      expect(bundle["text/plain"]).toContain(`${path}, generation 1, read `);
      expect(bundle["text/html"]).toContain(`${path}, generation 1, read `);
    }
  });

  it("gives its provenance to every result", async () => {
    const layer = await offline.layer({ site_id: 101 });
    const history = await layer.history();
    const expected = { origin: offline.origin, generation: 1, readAt: expect.any(Date) };
    const values = [
      offline,
      layer,
      history,
      layer.describe(),
      await offline.sql("FROM sites"),
      await layer.centroids(),
    ];
    for (const value of values) expect(provenanceOf(value)).toEqual(expected);
  });

  it("can have many readers, which end when they are closed", async () => {
    const readers = await Promise.all(Array.from({ length: 8 }, () => openedSnapshot(path)));
    const counts = await Promise.all(readers.map(async (reader) => (await reader.layer({ site_id: 101 })).rowCount));
    expect(new Set(counts)).toEqual(new Set([(await offline.layer({ site_id: 101 })).rowCount]));
    await readers[0]?.close();
    await expect(readers[0]?.sites()).rejects.toThrow();
  });

  it("filters datasets by type", async () => {
    const [layers, all] = [await offline.datasets({ type: "geojson-layer" }), await offline.datasets()];
    expect(layers.numRows()).toBeGreaterThan(0);
    expect(layers.numRows()).toBeLessThan(all.numRows());
  });

  it("returns pages in the requested order", async () => {
    const ids: number[] = [];
    for await (const { data } of offline.pages("sites", { _sortBy: "-id" }, { pageSize: 2 })) {
      expect(data.length).toBeLessThanOrEqual(2);
      ids.push(...data.map(({ id }) => id));
    }
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  it("skips rows of a query", async () => {
    const table = await offline.sql("SELECT unnest([1, 2, 3]) AS n ORDER BY n", { offset: 1 });
    expect(table.array("n")).toEqual([2, 3]);
  });

  it("counts the values of a column without decoding each", async () => {
    for (const filters of [{ site_id: 101 }, { site_id: 101, semantic_type: "TRENCHES" }]) {
      const resolved = resolveFilters("layerFeatures", filters);
      const { columns } = await readFeatures(offline.reader, resolved, {});
      for (const name of ["dataset_id", "semantic_type", "created_at"] as const) {
        const column = columns.base.get(name);
        if (!column) throw new Error("no column");
        expect(countedValues(column).values, name).toEqual(valuesOf(column));
      }
    }
  });

  it("reads nothing for an aborted signal", async () => {
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(offline.sites({}, { signal })).rejects.toThrow("never mind");
    await expect(offline.layer({ site_id: 101 }, { signal })).rejects.toThrow("never mind");
  });
});
