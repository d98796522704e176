import { from } from "arquero";
import { describe, expect, test } from "vitest";
import { fromRecords } from "../../../src/index.js";
import { type Figure, layerMap, type MapAnimation, mapAnimation, mapPanels } from "../../../src/plot/index.js";
import type { MapPayload } from "../../../src/tables/display/live/map-payload.js";
import { lonLatOf } from "../../../src/tables/display/live/map-plane.js";
import { unpackNumbers } from "../../../src/tables/display/live/pack-numbers.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../../support/records.js";
import { rectangle } from "../../support/rectangle.js";
import { frameFacts } from "../../tables/display/frame-facts.js";

/** Three features. The second has no name. */
const rows = ["a/b", null, "c&d"].map((visible_id, index) => ({
  id: 7 * index + 3,
  visible_id,
  STATUS: "OPEN",
  geometry: rectangle(11 + index * 0.01, 48, 0.005),
}));
const table = from(rows);
const dated = from(["2024-01-01", "2024-02-01"].flatMap((date) => rows.map((row) => ({ ...row, date }))));

const factsOf = async (figure: Figure | MapAnimation) =>
  frameFacts(String((await toMimeBundle(figure))["text/html"])) as MapPayload;

describe("href of maps", () => {
  const hrefs = [
    ["https://example.com/{id}", [3, 10, 17].map((id) => `https://example.com/${id}`)],
    [
      "http://example.com/?q={visible_id}&s={STATUS}",
      ["a%2Fb&s=OPEN", "", "c%26d&s=OPEN"].map((end) => end && `http://example.com/?q=${end}`),
    ],
    [
      ({ id, visible_id }: Readonly<Record<string, unknown>>) => (visible_id ? `https://example.com/${id}` : undefined),
      ["https://example.com/3", "", "https://example.com/17"],
    ],
  ] as const;

  test.each(hrefs)("%s is the address of each feature", async (href, links) => {
    expect((await factsOf(layerMap(table, "STATUS", { href }))).links).toEqual(links);
    expect((await factsOf(mapPanels(dated, "STATUS", { href }))).links).toEqual(links);
    expect((await factsOf(mapAnimation(dated, "STATUS", { href }))).links).toEqual(links);
  });

  test("the links of a history are those of its current features", async () => {
    const layerFeatures = [1, 2].map((id) => feature(id, { geometry: rectangle(id, 48, 0.5) }));
    const propertyChanges = [change(1, { layer_feature_id: 1, new_value: "OPEN" })];
    const source = fromRecords({ datasets: [], layerFeatures, propertyChanges });
    const history = await source.history({ site_id: 12 });
    const { links } = await factsOf(
      mapPanels(history, "STATUS", { href: "https://example.com/{id}", dates: ["2024-06-01"] }),
    );
    expect(links).toEqual(["https://example.com/1", "https://example.com/2"]);
  });

  test("without it, maps have no links, and the frame cannot open pages", async () => {
    const html = String((await toMimeBundle(layerMap(table, "STATUS")))["text/html"]);
    expect(html).toContain('sandbox="allow-scripts allow-downloads"');
    expect((frameFacts(html) as MapPayload).links).toBeUndefined();
    const linked = String(
      (await toMimeBundle(layerMap(table, "STATUS", { href: "https://example.com/{id}" })))["text/html"],
    );
    expect(linked).toContain('sandbox="allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox"');
  });

  test.each([
    "javascript:alert({id})",
    " javascript:alert({id})",
    "data:text/html,{id}",
    "file:///{id}",
    "/features/{id}",
    "example.com/{id}",
    ({ id }: Readonly<Record<string, unknown>>) => `vbscript:${id}`,
    () => 7 as unknown as string,
  ])("rejects %s, which is not an address of the web", (href) => {
    expect(() => layerMap(table, "STATUS", { href })).toThrow(
      expect.objectContaining({ code: "ERR_ARGUMENT", hint: "Use URLs that begin with https:// or http://." }),
    );
    expect(() => mapAnimation(dated, "STATUS", { href })).toThrow(
      expect.objectContaining({ facts: { option: "href", row: 0 } }),
    );
  });

  test("rejects missing columns, and values that are not strings or functions", () => {
    expect(() => layerMap(table, "STATUS", { href: "https://example.com/{idd}" })).toThrow('no column "idd"');
    expect(() => layerMap(table, "STATUS", { href: 7 as unknown as string })).toThrow("href must be a string");
  });
});

describe("coordinates of a frame", () => {
  const wide = (degrees: number) =>
    from([0, 1, 2].map((id) => ({ id: 1e9 * id, geometry: rectangle(5 + id * degrees, 20 + id * degrees, degrees) })));

  test.each([0.0001, 0.01, 1, 10])("are longitude and latitude for features %d degrees wide", async (degrees) => {
    const { plane, shapes } = await factsOf(layerMap(wide(degrees)));
    expect(plane?.projection).toBe(degrees < 2 ? "mercator" : "equal-earth");
    if (!plane) return;
    // The first vertex is a corner of the first square.
    const [x = 0, y = 0] = [shapes.x, shapes.y].map((packed) => (unpackNumbers(packed)[0] ?? 0) / shapes.grain);
    const [longitude, latitude] = lonLatOf(plane, x, y);
    const near = (3 * degrees) / 600 / shapes.grain;
    const distance = [0, 1].flatMap((dx) =>
      [0, 1].map((dy) => Math.hypot(longitude - 5 - dx * degrees, latitude - 20 - dy * degrees)),
    );
    expect(Math.min(...distance)).toBeLessThan(3 * near);
  });

  test.each([1, 10])("are correct across the 180th meridian, %d degrees wide", async (degrees) => {
    const sides = from([180 - degrees, -180].map((west, id) => ({ id, geometry: rectangle(west, 20, degrees) })));
    const { plane, shapes } = await factsOf(layerMap(sides));
    if (!plane) throw new Error("no plane");
    const [x = 0, y = 0] = [shapes.x, shapes.y].map((packed) => (unpackNumbers(packed)[0] ?? 0) / shapes.grain);
    const places = [x, x + 1].map((at) => lonLatOf(plane, at, y)[0]);
    expect(places.every((longitude) => Math.abs(longitude) > 179 - degrees && Math.abs(longitude) <= 180)).toBe(true);
    expect(lonLatOf(plane, 1e6, y)).toEqual([Number.NaN, Number.NaN]);
  });

  test("are missing with another projection", async () => {
    expect((await factsOf(layerMap(wide(10), undefined, { projection: "orthographic" }))).plane).toBeUndefined();
    expect((await factsOf(layerMap(wide(10), undefined, { projection: "mercator" }))).plane?.projection).toBe(
      "mercator",
    );
  });

  test("come with ids: small integers as steps, others as strings, none equal to names", async () => {
    const ids = async (given: readonly unknown[], names = given) => {
      const features = given.map((id, index) => ({
        id,
        visible_id: names[index],
        geometry: rectangle(index, 40, 0.5),
      }));
      return (await factsOf(layerMap(from(features)))).ids;
    };
    expect([...unpackNumbers(String(await ids([5, 3, 900])))]).toEqual([5, -2, 897]);
    expect(await ids([5, 4e12], ["a", "b"])).toEqual(["5", "4000000000000"]);
    expect(await ids(["x", "y"], ["a", "b"])).toEqual(["x", "y"]);
    expect(await ids(["x", "y"])).toBeUndefined();
  });
});
