import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { fromRecords } from "../../../../src/source/from-records.js";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";
import { dataset, definition, feature, uuid } from "../../../support/records.js";

interface Shown {
  readonly html: string;
  readonly text: string;
  /** The source of the image in the HTML, if there is one. */
  readonly svg: string;
  readonly alt: string;
}

async function show(value: unknown): Promise<Shown> {
  const bundle = await toMimeBundle(value);
  const html = String(bundle["text/html"] ?? "");
  const image = parseHTML(`<body>${html}</body>`).document.querySelector("img");
  const [, data = ""] = /^data:image\/svg\+xml;base64,(.*)$/.exec(image?.getAttribute("src") ?? "") ?? [];
  const svg = Buffer.from(data, "base64").toString();
  return { html, text: String(bundle["text/plain"]), svg, alt: image?.getAttribute("alt") ?? "" };
}

/** The corners of the paths inside `<g transform="scale(.1)">`, in pixels. */
function corners(svg: string): { x: number; y: number }[][] {
  return [...svg.matchAll(/<path d="(M[^"]*z)"\/>/g)].map(([, path = ""]) => {
    let [x, y] = [0, 0];
    return [...path.matchAll(/([Ml])(-?\d+) (-?\d+)/g)].map(([, command, a, b]) => {
      [x, y] = command === "M" ? [Number(a), Number(b)] : [x + Number(a), y + Number(b)];
      return { x: x / 10, y: y / 10 };
    });
  });
}

function square(west: number, south: number, degrees: number): object {
  const [east, north] = [west + degrees, south + degrees];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: "Polygon", coordinates: [ring] };
}

function layerOf(features: readonly ReturnType<typeof feature>[], name = "Depth") {
  const source = fromRecords({
    layerFeatures: [...features],
    datasets: [dataset(1)],
    propertyDefinitions: [definition(uuid(1, "aaaaaaaa"), name)],
  });
  return source.layer({ site_id: 12 });
}

describe("GeoJSON", () => {
  test("a polygon is drawn north up, in its right proportions, with a title", async () => {
    const shown = await show(square(10, 60, 0.01));
    const [ring = []] = corners(shown.svg);
    const [southWest, southEast, northEast] = ring;
    if (!southWest || !southEast || !northEast) throw new Error("no ring");
    expect(northEast.y).toBeLessThan(southEast.y);
    expect(southEast.x).toBeGreaterThan(southWest.x);
    // At 60° a degree of longitude is half as long as one of latitude.
    expect((southEast.x - southWest.x) / (southEast.y - northEast.y)).toBeCloseTo(0.5, 1);
    expect(shown.alt).toBe("Map of 1 feature: 556 m from west to east, 1.11 km from south to north. North is up.");
    expect(shown.svg).toContain(`<title>${shown.alt}</title>`);
    expect(shown.text).toContain("type: 'Polygon'");
    expect(shown.text).toContain(shown.alt);
  });

  test("places on both sides of the 180th meridian are close to each other", async () => {
    const { alt } = await show({
      type: "MultiPoint",
      coordinates: [
        [179.9, 0],
        [-179.9, 0],
      ],
    });
    expect(alt).toContain("22.2 km from west to east");
  });

  test("a feature shows its properties, a collection a table, all escaped", async () => {
    const hostile = "<img src=x onerror=alert(1)>\"'&";
    const one = {
      type: "Feature",
      id: 7,
      properties: { [hostile]: hostile, n: 5 },
      geometry: { type: "Point", coordinates: [1, 2] },
    };
    const shown = await show(one);
    expect(shown.html).toContain("&lt;img src=x");
    expect(shown.html).not.toContain("<img src=x");
    expect(shown.alt).toContain("one place");
    const collection = await show({ type: "FeatureCollection", features: [one, { ...one, id: 8, geometry: null }] });
    expect(collection.html).not.toContain("<img src=x");
    expect(collection.html).toContain('<th class="number">id<br><small>number</small></th>');
    expect(collection.text).toContain("2 rows × 3 columns");
    expect(collection.alt).toContain("1 of 2 features, the others have no location");
  });

  test.each([
    [{ type: "Point", coordinates: [] }],
    [{ type: "Point", coordinates: ["a", Number.NaN] }],
    [{ type: "Polygon", coordinates: [[["</svg><script>", 1]]] }],
    [{ type: "LineString" }],
    [{ type: "Feature", geometry: null }],
    [{ type: "constructor", coordinates: [1, 2] }],
    [{ type: "GeometryCollection", geometries: [{ type: "Nothing" }, null, 5] }],
  ])("%j is shown as text, since it has no location", async (value) => {
    const shown = await show(value);
    expect(shown.html).toBe("");
    expect(shown.text).toContain("type:");
  });

  test("positions with invalid numbers are left out", async () => {
    const drawn = async (...more: readonly unknown[]) => {
      const ring = [[10, 60], [10.02, 60], ...more, [10.02, 60.01], [10, 60]];
      return (await show({ type: "Polygon", coordinates: [ring] })).svg;
    };
    expect(await drawn(["10.03", 60], [10.03, "60"], [Number.NaN, 60], [10.03, Number.NaN], 5)).toBe(await drawn());
  });

  test("a collection may be empty or contain invalid features", async () => {
    expect((await show({ type: "FeatureCollection", features: [] })).text).toContain("0 rows");
    expect((await show({ type: "FeatureCollection", features: [null, 5, "x"] })).text).toContain("3 rows");
  });

  test("a line of a million points and a collection of thousands of parts stay small", async () => {
    const coast = Array.from({ length: 1_000_000 }, (_, n) => [Math.cos(n) * (n % 90), Math.sin(n) * (n % 80)]);
    expect((await show({ type: "LineString", coordinates: coast })).html.length).toBeLessThan(250_000);
    const geometries = Array.from({ length: 5000 }, (_, n) => square(n % 70, n % 60, 5));
    expect((await show({ type: "GeometryCollection", geometries })).html.length).toBeLessThan(250_000);
  });
});

describe("a layer", () => {
  test("has a table, and a map of its located features", async () => {
    const at = (id: number, x: number) => feature(id, { geometry: { type: "Point", coordinates: [x, 48] } });
    const shown = await show(await layerOf([at(1, 11), at(2, 11.01), feature(3, { geometry: null })]));
    expect(shown.alt).toMatch(/^Map of 2 of 3 features, the others have no location: 744 m from west to east, 0 m/);
    expect(shown.text).toContain(shown.alt);
    expect(shown.html.indexOf("<table>")).toBeLessThan(shown.html.indexOf("<img"));
  });

  test("without locations has no map", async () => {
    const shown = await show(await layerOf([feature(1, { geometry: null })]));
    expect(shown.html).not.toContain("<img");
    expect(shown.text).not.toContain("Map");
  });

  test("with many features and long strings is sampled with a note, and small", async () => {
    const text = "<&>".repeat(2000);
    const features = Array.from({ length: 5000 }, (_, n) =>
      feature(n + 1, {
        description: text,
        properties: { a: text, b: text, c: text, STATUS: text },
        geometry: square(10 + (n % 100) / 100, 50 + Math.floor(n / 100) / 100, 0.02) as never,
      }),
    );
    const shown = await show(await layerOf(features));
    expect(shown.alt).toContain("Map of 600 of 5,000 features, evenly sampled");
    expect(shown.html.length).toBeLessThan(300_000);
    expect(shown.text.length).toBeLessThan(20_000);
    expect(corners(shown.svg)).toHaveLength(600);
  });
});
