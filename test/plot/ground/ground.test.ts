import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { from } from "arquero";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArgumentError, fromRecords, type Layer } from "../../../src/index.js";
import { type Ground, layerMap, mapAt, readGround, timeMap } from "../../../src/plot/index.js";
import type { MapFrameFacts } from "../../../src/tables/display/live/map-facts.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { feature } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { png } from "./made-ground.js";
import { corner, solarHistory, solarSite } from "./solar-site.js";

const [west, south] = corner;
let layer: Layer;
let folder = "";

beforeAll(async () => {
  layer = await solarSite().layer({ site_id: 12 });
  folder = mkdtempSync(join(tmpdir(), "siteframe-ground-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The names that stand over a map's features. */
function namesOf(svg: string): readonly string[] {
  const [, names = ""] = /aria-label="names of the ground"[^>]*>([\s\S]*?)<\/g>/.exec(svg) ?? [];
  return [...names.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, name = ""]) => name);
}

const outlinesOf = (svg: string) => /aria-label="ground"[\s\S]*? d="([^"]*)"/.exec(svg)?.[1]?.split("M").length ?? 1;

async function factsOf(figure: object): Promise<MapFrameFacts> {
  const bundle = await toMimeBundle(figure);
  return frameFacts(String(bundle["text/html"])) as unknown as MapFrameFacts;
}

describe("blocks that a layer knows", () => {
  test("are drawn below it with their names", async () => {
    const svg = layerMap(layer, "STATUS").toSVG();
    expect(namesOf(svg)).toEqual(["Block 01", "Block 02", "Block 03", "Block 04"]);
    expect(outlinesOf(svg)).toBe(1 + 4);
    const { ground } = await factsOf(layerMap(layer, "STATUS"));
    expect(ground).toMatchObject({ outlines: 4, images: [] });
    expect(ground?.names.map(({ text }) => text)).toEqual(["Block 01", "Block 02", "Block 03", "Block 04"]);
  });

  test("are drawn in each pane, and below what plays", async () => {
    const history = await solarHistory();
    const dates = ["2024-02-10", "2024-04-01"];
    expect(
      mapAt(history, "STATUS", { dates })
        .toSVG()
        .match(/stroke-opacity="0.4"/g),
    ).toHaveLength(2);
    expect(namesOf(timeMap(history, "STATUS", { dates }).toSVG())).toHaveLength(4);
  });

  test("are those of the last operation of a site", async () => {
    const blocks = await (await solarSite().site(12)).blocks();
    expect(blocks.numRows()).toBe(4);
    const other = from(layer.table.objects());
    expect(namesOf(layerMap(other, "STATUS", { ground: blocks }).toSVG())).toHaveLength(4);
  });

  test("are not drawn where they are not wanted, and stay where only pictures are given", async () => {
    expect(layerMap(layer, "STATUS", { ground: false }).toSVG()).not.toContain('aria-label="ground"');
    const image = await png(8, 8, () => [90, 120, 60]);
    const picture = await readGround(layer, { image, bounds: [west, south, west + 0.01, south + 0.01] });
    const svg = layerMap(layer, "STATUS", { ground: picture }).toSVG();
    expect(namesOf(svg)).toHaveLength(4);
    expect(svg).toContain("<image ");
  });
});

describe("outlines", () => {
  const square = {
    type: "Polygon" as const,
    coordinates: [
      [
        [west, south],
        [west + 0.008, south],
        [west + 0.008, south + 0.005],
        [west, south + 0.005],
        [west, south],
      ],
    ],
  };
  const named = { type: "Feature" as const, properties: { Name: "Lot A" }, geometry: square };

  test.each<[string, () => Ground, readonly string[]]>([
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
      "points, which are named wherever there is room",
      () => ({ ...named, geometry: { type: "Point", coordinates: [west + 0.002, south + 0.002] } }),
      ["Lot A"],
    ],
  ])("can be %s", (_, ground, names) => {
    const svg = layerMap(layer, "STATUS", { ground: ground() }).toSVG();
    expect(outlinesOf(svg)).toBeGreaterThan(1);
    expect(namesOf(svg)).toEqual(names);
  });

  test("stay within the map, to which they do not add", () => {
    const wide = { ...square, coordinates: [square.coordinates[0]?.map(([x = 0, y = 0]) => [x * 2 - west, y]) ?? []] };
    const bar = (svg: string) => />(\d+ k?m)</.exec(svg)?.[1];
    const svg = layerMap(layer, "STATUS", { ground: wide }).toSVG();
    expect(bar(svg)).toBe(bar(layerMap(layer, "STATUS", { ground: false }).toSVG()));
    expect(svg).toMatch(/aria-label="ground"><svg viewBox="6 6 708 /);
  });

  test.each([
    ["no file", "nowhere.geojson", /"nowhere.geojson" cannot be read.*no such file/i],
    ["no GeoJSON", () => join(folder, "text.txt"), /no GeoJSON.*readGround/],
    ["a number", 12, /12 is no ground/],
    ["a picture that was not read", { image: "site.png" }, /no ground.*readGround/],
    ["a table without geometries", from([{ a: 1 }]), /no column of geometries/],
  ])("%s is refused", (_, ground, message) => {
    writeFileSync(join(folder, "text.txt"), "no JSON");
    const given = typeof ground === "function" ? ground() : ground;
    const draw = () => layerMap(layer, "STATUS", { ground: given as Ground });
    expect(draw).toThrow(ArgumentError);
    let told = "";
    try {
      draw();
    } catch (error) {
      told = String(error);
    }
    expect(told).toMatch(message);
  });

  test("of a layer without blocks there are none", async () => {
    const source = fromRecords({ layerFeatures: [feature(1)] });
    expect(layerMap(await source.layer({ site_id: 12 })).toSVG()).not.toContain('aria-label="ground"');
  });
});
