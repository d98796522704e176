import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { LayerFeature } from "../../../src/api/resources.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { dataset, feature } from "../../support/records.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

async function layerOf(name: string, layerFeatures: readonly LayerFeature[]) {
  const path = join(folder, name);
  await writeSnapshot(path, { datasets: [dataset(1)], layerFeatures });
  return (await openedSnapshot(path)).layer({ site_id: 12 });
}

const features = (count: number) => Array.from({ length: count }, (_, index) => feature(index + 1));

describe("geometries of a snapshot", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are not decoded to look for faults if the column file says that all are sound", async () => {
    const layer = await layerOf("sound.snapshot", [...features(500), { ...feature(501), geometry: null }]);
    const parse = vi.spyOn(JSON, "parse");
    expect(layer.diagnostics.map(({ code }) => code)).not.toContain("geometry-malformed");
    const parsed = parse.mock.calls.filter(([text]) => text.includes("coordinates"));
    expect(parsed).toEqual([]);
    expect(layer.table.get("geometry", 499)).toEqual(feature(500).geometry);
  });

  it("are reported if they have faults", async () => {
    const faulty = { type: "Point", coordinates: ["11.5", 48.1] } as unknown as LayerFeature["geometry"];
    const layer = await layerOf("faulty.snapshot", [...features(3), { ...feature(4), geometry: faulty }]);
    const diagnostic = layer.diagnostics.find(({ code }) => code === "geometry-malformed");
    expect(diagnostic).toMatchObject({ count: 1, facts: { ids: [4] } });
  });
});
