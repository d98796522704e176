import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { from } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { ArgumentError, FileError, fromRecords, type Layer } from "../../../src/index.js";
import { type Basemap, layerMap, loadBasemap, mapAnimation, mapPanels } from "../../../src/plot/index.js";
import type { MapPayload } from "../../../src/tables/display/live/map-payload.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { feature } from "../../support/records.js";
import { rectangle } from "../../support/rectangle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { png } from "./made-basemap.js";
import { corner, solarHistory, solarSite } from "./solar-site.js";

const [west, south] = corner;
let layer: Layer;
const folder = temporaryFolder();

beforeAll(async () => {
  layer = await solarSite().layer({ site_id: 12 });
});

/** The names above a map's features. */
function namesOf(svg: string): readonly string[] {
  const [, names = ""] = /aria-label="names of the basemap"[^>]*>([\s\S]*?)<\/g>/.exec(svg) ?? [];
  return [...names.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, name = ""]) => name);
}

const outlinesOf = (svg: string) => /aria-label="basemap"[\s\S]*? d="([^"]*)"/.exec(svg)?.[1]?.split("M").length ?? 1;

async function factsOf(figure: object): Promise<MapPayload> {
  const bundle = await toMimeBundle(figure);
  return frameFacts(String(bundle["text/html"])) as unknown as MapPayload;
}

describe("blocks of a layer", () => {
  test("are drawn below it with their names", async () => {
    const svg = layerMap(layer, "STATUS").toSVG();
    expect(namesOf(svg)).toEqual(["Block 01", "Block 02", "Block 03", "Block 04"]);
    expect(outlinesOf(svg)).toBe(1 + 4);
    const { basemap } = await factsOf(layerMap(layer, "STATUS"));
    expect(basemap).toMatchObject({ outlines: 4, images: [] });
    expect(basemap?.names.map(({ text }) => text)).toEqual(["Block 01", "Block 02", "Block 03", "Block 04"]);
  });

  test("are drawn in each pane, and in a time map", async () => {
    const history = await solarHistory();
    const dates = ["2024-02-10", "2024-04-01"];
    expect(
      mapPanels(history, "STATUS", { dates })
        .toSVG()
        .match(/stroke-opacity="0.4"/g),
    ).toHaveLength(2);
    expect(namesOf(mapAnimation(history, "STATUS", { dates }).toSVG())).toHaveLength(4);
  });

  test("are the blocks of the last operation of a site", async () => {
    const blocks = await (await solarSite().site(12)).blocks();
    expect(blocks.numRows()).toBe(4);
    const other = from(layer.table.objects());
    expect(namesOf(layerMap(other, "STATUS", { basemap: blocks }).toSVG())).toHaveLength(4);
  });

  test("are not drawn with `basemap: false`, but with a picture", async () => {
    expect(layerMap(layer, "STATUS", { basemap: false }).toSVG()).not.toContain('aria-label="basemap"');
    const image = await png(8, 8, () => [90, 120, 60]);
    const picture = await loadBasemap(layer, { image, bounds: [west, south, west + 0.01, south + 0.01] });
    const svg = layerMap(layer, "STATUS", { basemap: picture }).toSVG();
    expect(namesOf(svg)).toHaveLength(4);
    expect(svg).toContain("<image ");
  });
});

describe("names of points", () => {
  test("are inside the map, also those of the points at its edges", () => {
    const places = [
      ["Northernmost place of all", -2, 55],
      ["Southernmost place", -6, 38],
      ["Westernmost place of all of them", -9, 46],
    ] as const;
    const sites = from(
      places.map(([name, longitude, latitude]) => ({
        name,
        geometry: { type: "Point", coordinates: [longitude, latitude] },
      })),
    );
    const svg = layerMap(sites, undefined, { basemap: sites }).toSVG();
    const names = [...namesOf(svg)].filter((name) => !name.includes("°"));
    expect(names.sort()).toEqual(places.map(([name]) => name).sort());
  });
});

describe("outlines", () => {
  const square = rectangle(west, south, 0.008, 0.005);
  const named = { type: "Feature" as const, properties: { Name: "Lot A" }, geometry: square };

  test.each<[string, () => Basemap, readonly string[]]>([
    ["a geometry", () => square, []],
    ["a feature", () => named, ["Lot A"]],
    ["a collection", () => ({ type: "FeatureCollection", features: [named] }), ["Lot A"]],
    ["a table", () => from([{ name: "Lot B", geometry: square }]), ["Lot B"]],
    ["a layer", () => layer, []],
    [
      "a file",
      () => {
        const path = join(folder, "lots.geojson");
        writeFileSync(path, JSON.stringify({ type: "FeatureCollection", features: [named] }));
        return path;
      },
      ["Lot A"],
    ],
    ["several", () => [square, named], ["Lot A"]],
    [
      "points, with names where there is room",
      () => ({ ...named, geometry: { type: "Point", coordinates: [west + 0.002, south + 0.002] } }),
      ["Lot A"],
    ],
  ])("can be %s", (_, basemap, names) => {
    const svg = layerMap(layer, "STATUS", { basemap: basemap() }).toSVG();
    expect(outlinesOf(svg)).toBeGreaterThan(1);
    expect(namesOf(svg)).toEqual(names);
  });

  test("are cut to the map, and do not enlarge it", () => {
    const wide = { ...square, coordinates: [square.coordinates[0]?.map(([x = 0, y = 0]) => [x * 2 - west, y]) ?? []] };
    const bar = (svg: string) => />(\d+ k?m)</.exec(svg)?.[1];
    const svg = layerMap(layer, "STATUS", { basemap: wide }).toSVG();
    expect(bar(svg)).toBe(bar(layerMap(layer, "STATUS", { basemap: false }).toSVG()));
    expect(svg).toMatch(/aria-label="basemap"><svg viewBox="6 6 708 /);
  });

  test.each([
    ["no file", "nowhere.geojson", /"nowhere.geojson" cannot be read.*file not found/i],
    ["no GeoJSON", () => join(folder, "text.txt"), /not GeoJSON.*loadBasemap/],
    ["a number", 12, /Invalid basemap: 12/],
    ["a picture that was not read", { image: "site.png" }, /Invalid basemap.*loadBasemap/],
    ["a table without geometries", from([{ a: 1 }]), /no column of geometries/],
  ])("%s is rejected", (_, basemap, message) => {
    writeFileSync(join(folder, "text.txt"), "no JSON");
    const given = typeof basemap === "function" ? basemap() : basemap;
    const type = given === "nowhere.geojson" ? FileError : ArgumentError;
    expect(() => layerMap(layer, "STATUS", { basemap: given as Basemap })).toThrow(
      expect.toSatisfy((error) => error instanceof type && message.test(String(error))),
    );
  });

  test("are missing for a layer without blocks", async () => {
    const source = fromRecords({ layerFeatures: [feature(1)] });
    expect(layerMap(await source.layer({ site_id: 12 })).toSVG()).not.toContain('aria-label="basemap"');
  });
});
