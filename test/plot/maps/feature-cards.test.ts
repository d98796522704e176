import { table } from "arquero";
import { describe, expect, it } from "vitest";
import { ArgumentError, fromRecords } from "../../../src/index.js";
import { featureCards } from "../../../src/plot/index.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { feature } from "../../support/records.js";

const at = (longitude: number, latitude = 50) => ({ type: "Point" as const, coordinates: [longitude, latitude] });
const tickets = table({
  id: [1, 2, 3],
  visible_id: ["PL-1", "<PL-2>", null],
  due: [new Date("2026-05-01"), new Date("2026-05-01T10:30:00Z"), null],
  cost: [12.5, null, 0],
  geometry: [at(8), at(8.0002), null],
});

const shown = (...given: Parameters<typeof featureCards>) => featureCards(...given)[displaySymbol]();
const html = (...given: Parameters<typeof featureCards>) => String(shown(...given)["text/html"]);
const maps = (text: string) =>
  [...text.matchAll(/base64,([^"]+)"/g)].map(([, data]) => Buffer.from(String(data), "base64").toString());

describe("featureCards", () => {
  it("shows a feature in each line of plain text", () => {
    const options = { columns: ["due", "cost"] };
    expect(String(featureCards(tickets, options)).split("\n")).toEqual([
      "PL-1; due: 2026-05-01; cost: 12.5",
      "<PL-2>; due: 2026-05-01 10:30; cost: none",
      "none; due: none; cost: 0",
    ]);
    expect(shown(tickets, options)["text/plain"]).toBe(String(featureCards(tickets, options)));
  });

  it("omits a label that the value repeats", () => {
    const panels = table({ id: [1, 2], block: ["Block 05", "Blocks"], geometry: [at(8), at(8)] });
    expect(String(featureCards(panels, { columns: ["block"] }))).toBe("1; Block 05\n2; block: Blocks");
    expect(html(panels, { columns: ["block"] })).toMatch(/<span[^>]*><\/span><span>Block 05<\/span>/);
  });

  it("has a map for each feature with a location, and a note for others", () => {
    const text = html(tickets);
    expect(maps(text)).toHaveLength(2);
    expect(text.match(/No location/g)).toHaveLength(1);
    expect(text).toContain("&lt;PL-2&gt;");
    expect(text).not.toContain("<PL-2>");
    expect(text).toContain('alt="Map around 50.00000° N, 8.00000° E: 60 m from west to east. North is up."');
  });

  it("draws only near features of the background", () => {
    const [near, far] = [at(8.0001), at(8.1)];
    const background = table({ geometry: [near, far, null, { type: "Polygon", coordinates: [] }] });
    const grey = (...geometries: object[]) =>
      maps(html(tickets, { background: table({ geometry: geometries }), limit: 1 }))[0];
    expect(maps(html(tickets, { background, limit: 1 }))[0]).toBe(grey(near));
    expect(grey(far)).toBe(maps(html(tickets, { limit: 1 }))[0]);
    expect(grey(near)).not.toBe(grey(far));
  });

  it("shows the given metres, or the whole feature", () => {
    const line = {
      type: "LineString",
      coordinates: [
        [8, 50],
        [8.01, 50],
      ],
    };
    const long = table({ geometry: [line] });
    const width = (text: string) => Number(/: ([\d.]+) (?:m|km) from west/.exec(text)?.[1]);
    expect(width(html(tickets, { widthMeters: 200, limit: 1 }))).toBe(200);
    // A hundredth of a degree at 50° N is some 715 m, and takes half of the map.
    expect(width(html(long))).toBeCloseTo(1.43, 2);
  });

  it("shows at most `limit` features, with a note", () => {
    const text = html(tickets, { limit: 2 });
    expect(text).toContain("2 of 3, in the order of the table.");
    expect(String(featureCards(tickets, { limit: 2 })).split("\n")).toHaveLength(3);
    expect(html(tickets)).not.toContain("in the order");
  });

  it("accepts a layer", async () => {
    const layer = await fromRecords({ layerFeatures: [feature(7)] }).layer({ site_id: 12 });
    expect(String(featureCards(layer, { heading: "id", columns: ["visible_id"] }))).toMatch(/^7; visible_id: /);
  });

  it("rejects missing columns and invalid sizes", () => {
    expect(() => featureCards(tickets, { columns: ["Due"] })).toThrow(ArgumentError);
    expect(() => featureCards(tickets, { heading: "name" })).toThrow(/no column "name"/);
    expect(() => featureCards(tickets, { widthMeters: 0 })).toThrow(/widthMeters must be a number above 0, got 0/);
    expect(() => featureCards(tickets, { limit: 0 })).toThrow(ArgumentError);
    expect(() => featureCards(table({ id: [1] }))).toThrow(/geometry/);
  });
});
