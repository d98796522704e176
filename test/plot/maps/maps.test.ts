import { createHash } from "node:crypto";
import { from } from "arquero";
import fc from "fast-check";
import type { Geometry } from "geojson";
import { beforeAll, describe, expect, test } from "vitest";
import { frameShapes } from "../../../src/browser/map/map-shapes.js";
import { mapValues } from "../../../src/browser/map/map-values.js";
import { ArgumentError, type Dates, fromRecords, type History } from "../../../src/index.js";
import { toHtml } from "../../../src/notebook/page/to-html.js";
import { burnDown, type Figure, layerMap, mapAnimation, mapPanels } from "../../../src/plot/index.js";
import { steps, valueColours } from "../../../src/plot/values/palette.js";
import { frameScript } from "../../../src/tables/display/frame-script.js";
import type { MapPayload } from "../../../src/tables/display/live/map-payload.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { rectangle } from "../../support/rectangle.js";
import { fallbackOf, frameFacts, framePageOf } from "../../tables/display/frame-facts.js";
import { plottedHistory } from "../plotted-history.js";

let history: History;

beforeAll(async () => {
  history = await plottedHistory();
});

/** Points in a row, one for each row of a table. */
function points<Row extends object>(rows: readonly Row[]) {
  return from(rows.map((row, at) => ({ id: at, ...row, geometry: point(11 + at / 1000, 48) })));
}

const point = (longitude: number, latitude: number) => ({ type: "Point", coordinates: [longitude, latitude] });

function paths(html: string): readonly string[] {
  const marks = /<g [^>]*aria-label="geo"[\s\S]*?<\/g>/g;
  return [...html.matchAll(marks)].flatMap(([mark]) => [...mark.matchAll(/ d="([^"]*)"/g)].map(([, d = ""]) => d));
}

/** How many features have each label. */
function countsOf(figure: Figure, labels: readonly string[]): readonly number[] {
  return labels.map((label) => figure.outerHTML.split(`: ${label.replace("<", "&lt;")}</title>`).length - 1);
}

/** The box of a path's absolute coordinates. */
function box(path: string): { width: number; height: number } {
  const numbers = [...path.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  const side = (axis: 0 | 1) => numbers.map((point) => point[axis]);
  const length = (values: number[]) => Math.max(...values) - Math.min(...values);
  return { width: length(side(0)), height: length(side(1)) };
}

describe("layerMap", () => {
  test.each([false, true])("a square is a square, whichever way its ring runs (clockwise: %s)", (isClockwise) => {
    const rows = [11, 11.02].map((longitude) => rectangle(longitude, 48, 0.01));
    if (isClockwise) for (const { coordinates } of rows) coordinates[0]?.reverse();
    const [first = ""] = paths(layerMap(from(rows.map((geometry) => ({ geometry })))).outerHTML);
    const { width, height } = box(first);
    expect(width).toBeGreaterThan(100);
    expect(width).toBeLessThan(300);
    expect(height / width).toBeCloseTo(1 / Math.cos((48 * Math.PI) / 180), 1);
  });

  test("holes stay holes", () => {
    const coordinates = [rectangle(0, 0, 3), rectangle(1, 1, 1)].flatMap((part) => part.coordinates);
    const table = from([{ id: 1, geometry: { type: "Polygon", coordinates } }]);
    expect(paths(layerMap(table).outerHTML)[0]?.match(/M/g)).toHaveLength(2);
  });

  test("draws every kind of geometry, as an object or text, or null", () => {
    const geometries = [
      point(11, 48),
      { type: "MultiPoint", coordinates: [[11.01, 48]] },
      {
        type: "LineString",
        coordinates: [
          [11, 48],
          [11.02, 48.01],
        ],
      },
      {
        type: "MultiLineString",
        coordinates: [
          [
            [11, 48],
            [11.02, 48.02],
          ],
        ],
      },
      rectangle(11, 48, 0.01),
      { type: "MultiPolygon", coordinates: [] },
      { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [11, 48.01] }] },
      null,
    ];
    const table = from(
      geometries.map((geometry, id) => ({ id, geometry: id % 2 ? JSON.stringify(geometry) : geometry })),
    );
    const html = layerMap(table).outerHTML;
    expect(html).toContain("7 features");
    expect(html).not.toContain("NaN");
  });

  test("a site is Mercator, a continent equal-area, and the 180th meridian is no edge", () => {
    const continent = from([0, 60].map((latitude) => ({ geometry: rectangle(0, latitude, 5) })));
    const [south = "", north = ""] = paths(layerMap(continent).outerHTML);
    const area = (path: string) => box(path).width * box(path).height;
    // Five degrees at 60° north are about half as wide as at the equator; Mercator would draw them larger.
    expect(area(north) / area(south)).toBeLessThan(0.7);
    const pacific = from([179.99, -179.99].map((longitude) => ({ geometry: point(longitude, 0) })));
    expect(layerMap(pacific).outerHTML).toContain("500 m");
  });

  test("a map of the world is cut where it has no features, and has a graticule instead of a scale", () => {
    // Finland, Spain, Brazil, Japan and Australia: the widest gap is the Pacific.
    const places = [
      [25, 61],
      [-4, 40],
      [-50, -15],
      [138, 36],
      [134, -25],
    ] as const;
    const html = layerMap(from(places.map(([x, y]) => ({ geometry: rectangle(x, y, 4) })))).outerHTML;
    const [finland, spain, brazil] = paths(html).map((path) => Number(/M(-?[\d.]+)/.exec(path)?.[1]));
    expect(spain).toBeGreaterThan(brazil ?? 0);
    expect(finland).toBeGreaterThan(spain ?? 0);
    for (const name of ["60° N", "30° N", "90° E", "0°"]) expect(html).toContain(`>${name}</text>`);
    expect(html).not.toContain("km</text>");
    const bare = layerMap(from(places.map(([x, y]) => ({ geometry: rectangle(x, y, 4) }))), undefined, {
      basemap: false,
    });
    expect(bare.outerHTML).not.toContain("60° N");
  });

  test("a map of several degrees has a graticule and a scale bar, a smaller one only the scale bar", () => {
    const wide = layerMap(from([{ geometry: rectangle(5, 45, 8) }])).outerHTML;
    expect(wide).toContain("48° N");
    expect(wide).toContain("km</text>");
    expect(layerMap(from([{ geometry: rectangle(5, 45, 2) }])).outerHTML).not.toContain("46° N");
    const features = from([{ geometry: rectangle(5, 45, 8) }]);
    const named = (geometry: object) =>
      layerMap(features, undefined, { basemap: from([{ name: "Jura", geometry }]) }).outerHTML;
    expect(named(point(8, 47))).toMatch(/48° N.*Jura|Jura.*48° N/s);
    expect(named(rectangle(6, 46, 2))).not.toContain("48° N");
  });

  test.each(["POINT (11 48)", "", 7, new Uint8Array(21), { type: "Feature", geometry: null }, { type: "Point" }])(
    "rejects the geometry %o",
    (geometry) => {
      expect(() => layerMap(from([{ id: 1, geometry }]))).toThrow(/Invalid GeoJSON geometry/);
    },
  );

  test("a feature without a name has its id", () => {
    expect(layerMap(points([{ id: 17, visible_id: null, KIND: "a" }]), "KIND").outerHTML).toContain("17: a</title>");
  });

  test.each([
    [0.00003, "5 m"],
    [0.0003, "10 m"],
    [0.03, "1 km"],
  ])("a map %s degrees wide has a scale bar", (size, bar) => {
    expect(layerMap(from([{ id: 1, geometry: rectangle(11, 0, size) }])).outerHTML).toContain(`>${bar}</text>`);
  });

  test("features at one location have a ring with their number", () => {
    const rows = Array.from({ length: 30 }, (_, id) => ({ id, KIND: "abc"[id % 3], geometry: point(11, 48) }));
    const apart = { id: 30, KIND: "a", geometry: point(11.001, 48.001) };
    const figure = layerMap(from([...rows, apart]), "KIND");
    expect(figure.outerHTML).toContain(">30</text>");
    expect(figure.outerHTML).toContain("1: b, 2 of 30 here</title>");
    expect(figure.outerHTML).toContain("30: a</title>");
    expect(figure.outerHTML).toContain("by KIND: a, b, c. 30 of them are at one location.");
    expect(layerMap(points([{}, {}])).outerHTML).not.toMatch(/one location| here</);
  });

  test("rings count the features of each date", () => {
    const rows = [1, 2, 3].flatMap((id) =>
      ["2024-01-01", "2024-02-01"]
        .slice(id === 3 ? 1 : 0)
        .map((date) => ({ date, id, KIND: "a", geometry: point(11, 48) })),
    );
    const html = mapPanels(from(rows), "KIND").outerHTML;
    expect([...html.matchAll(/>(\d)<\/text>/g)].map(([, count]) => count)).toEqual(["2", "3"]);
    expect(html).toContain("1, 2024-01-01: a, 1 of 2 here</title>");
    expect(html).toContain("All are at one location.");
  });

  test("draws a single point, and a note without features", () => {
    expect(layerMap(points([{}])).outerHTML).not.toContain("NaN");
    expect(layerMap(from([{ geometry: null }])).outerHTML).toContain("No features with a location");
    expect(layerMap(from([]), "KIND").outerHTML).toContain("No features with a location");
    expect(() => layerMap(from([{ id: 1 }]))).toThrow(ArgumentError);
  });

  test("many numbers are classes with a class for null, and few numbers are separate values", () => {
    const rows = points(Array.from({ length: 20 }, (_, at) => ({ few: at % 3, many: at === 19 ? null : at })));
    expect(layerMap(rows, "few").scale("color")?.domain).toEqual(["0", "1", "2"]);
    const many = layerMap(rows, "many").scale("color")?.domain;
    expect(many).toEqual(["< 3.6", "3.6 – 7.2", "7.2 – 11", "11 – 14", "≥ 14", "none"]);
    expect(layerMap(rows, "many", { thresholds: [10] }).scale("color")?.domain).toEqual(["< 10", "≥ 10", "none"]);
  });

  test("few numbers are coloured by their size, unless `order` lists them", () => {
    const rows = points([1, 2, 10, 40].map((value) => ({ value })));
    const colours = (options = {}) => [...(layerMap(rows, "value", options).scale("color")?.range ?? [])];
    expect(colours()).toEqual([0, 1, 3, 4].map((at) => steps[at]));
    expect(colours({ order: [10, 40, 1, 2] })).not.toEqual(colours());
    const six = points([0, 1, 2, 3, 4, 5, 0, 1].map((value) => ({ value })));
    expect(layerMap(six, "value").scale("color")?.domain).toHaveLength(5);
  });

  test.each([
    // Most numbers are the least, as in losses.
    [[...Array(85).fill(0), ...Array.from({ length: 15 }, (_, index) => index + 1)], {}, ["< 3", "≥ 12"], [87, 4]],
    // All are the same in two digits, as years are.
    [Array.from({ length: 10 }, (_, index) => 2015 + index), {}, ["< 2,017", "≥ 2,022"], [2, 3]],
    [Array.from({ length: 10 }, (_, index) => 1_234_560 + index), {}, ["< 1,234,562", "≥ 1,234,567"], [2, 3]],
    // The caller's thresholds, in any order.
    [[1, 5, 15, 50], { thresholds: [30, 10] }, ["< 10", "≥ 30"], [2, 1]],
    [[1, 1_234_567], { thresholds: [1_234_567] }, ["< 1,234,567", "≥ 1,234,567"], [1, 1]],
    [[1, 5, 5], { thresholds: [] }, ["1", "5"], [1, 2]],
  ])("classes of %j hold what their names say", (values, options, ends, counts) => {
    const figure = layerMap(points(values.map((value) => ({ value }))), "value", options);
    const domain = [...(figure.scale("color")?.domain ?? [])];
    expect([domain[0], domain.at(-1)]).toEqual(ends);
    expect(countsOf(figure, ends)).toEqual(counts);
  });

  test.each([
    ["in the middle", 200, 0, [-50, 50], ["< −26", "−26 – 0", "0", "1 – 26", "≥ 26"], [24, 26, 200, 25, 25]],
    [
      "in the middle, a few fractions",
      90,
      0.5,
      [-4, 4],
      ["< −2.5", "−2.5 – 0.5", "0.5", "1 – 2.5", "≥ 2.5"],
      [2, 2, 90, 2, 2],
    ],
    ["near the lowest", 200, 0, [-2, 50], ["< 0", "0", "1 – 17", "17 – 34", "≥ 34"], [2, 200, 16, 17, 17]],
    ["the highest", 200, 60, [1, 50], ["< 13", "13 – 26", "26 – 38", "38 – 60", "60"], [12, 13, 12, 13, 200]],
    ["the lowest", 200, 0, [1, 50], ["< 10", "10 – 20", "20 – 30", "30 – 40", "≥ 40"], [209, 10, 10, 10, 11]],
    ["the lowest, one more", 201, 0, [1, 50], ["< 10", "10 – 20", "20 – 30", "30 – 40", "≥ 40"], [210, 10, 10, 10, 11]],
  ] as const)(
    "a frequent number that is %s has a separate class, or the lowest",
    (_, count, frequent, [least, most], labels, counts) => {
      const others = Array.from({ length: most - least + 1 }, (_, index) => least + index).filter(
        (number) => number !== 0,
      );
      const rows = [...Array<number>(count).fill(frequent), ...others].map((value) => ({ value }));
      const figure = layerMap(points(rows), "value");
      expect([...(figure.scale("color")?.domain ?? [])]).toEqual(labels);
      expect(countsOf(figure, labels)).toEqual(counts);
    },
  );

  test("NaN is in the class of other values", () => {
    const rows = Array.from({ length: 21 }, (_, at) => ({ value: at === 20 ? Number.NaN : at }));
    expect([...(layerMap(points(rows), "value").scale("color")?.domain ?? [])].at(-1)).toBe("other");
  });

  test("pale classes of numbers have an outline, strong ones have none", async () => {
    const rows = points(Array.from({ length: 50 }, (_, at) => ({ value: at })));
    const lines = from(
      Array.from({ length: 50 }, (_, at) => ({
        value: at,
        geometry: {
          type: "LineString",
          coordinates: [
            [11, 48 + at / 1000],
            [11.1, 48 + at / 1000],
          ],
        },
      })),
    );
    const [pale = "", strong = ""] = [steps[0], steps.at(-1)];
    const svg = layerMap(rows, "value").toSVG();
    const drawn = (colour: string) => svg.match(new RegExp(`<path[^>]*fill="${colour}"[^>]*>`))?.[0];
    expect(drawn(pale)).toContain('stroke="currentColor"');
    expect(drawn(strong)).not.toContain("currentColor");
    expect(layerMap(lines, "value").toSVG()).toMatch(/<g[^>]*stroke-width="3.7"[^>]*stroke="currentColor"/);
    const bundle = await toMimeBundle(layerMap(rows, "value"));
    const { pale: indexes } = frameFacts(String(bundle["text/html"])) as MapPayload;
    expect(indexes).toEqual([0, 1]);
  });

  test("rare values are other if colours are missing", () => {
    const rows = points(Array.from({ length: 40 }, (_, at) => ({ kind: `kind ${Math.min(at, 13)}` })));
    const domain = [...(layerMap(rows, "kind").scale("color")?.domain ?? [])];
    expect(domain).toHaveLength(11);
    expect(domain).toContain("kind 13");
    expect(domain.at(-1)).toBe("other");
  });

  test("tips have the name, the drawn column and the columns of `tip`, each once", async () => {
    const rows = [
      { id: 1, visible_id: "P-1", KIND: "a", LOSS: 73.76666666666661, geometry: rectangle(11, 48, 0.01) },
      { id: 2, visible_id: null, KIND: null, LOSS: 1_234_567, geometry: null },
      { id: 3, visible_id: "P-3", KIND: "b", LOSS: Number.NaN, geometry: rectangle(11.1, 48, 0.01) },
    ];
    const figure = layerMap(from(rows), "KIND", {
      tip: ["LOSS", "KIND", "visible_id", "id", "LOSS"],
      color: { range: ["red", "blue"] },
    });
    const bundle = await toMimeBundle(figure);
    const types = ["application/vnd.siteframe.view.v1+json", "image/png", "text/html", "text/plain"];
    expect(Object.keys(bundle).sort()).toEqual(types);
    const facts = frameFacts(String(bundle["text/html"]));
    expect(facts).toMatchObject({ names: ["P-1", "P-3"], labels: ["a", "b"], colours: ["red", "blue"], dates: [] });
    expect(facts).toMatchObject({
      columns: [
        { label: "KIND", texts: ["a", "b"] },
        { label: "LOSS", texts: ["73.7667", "NaN"] },
        { label: "id", texts: ["1", "3"] },
      ],
    });
    expect(() => layerMap(from(rows), "KIND", { tip: "KIND" as never })).toThrow(ArgumentError);
    expect(fallbackOf(String(bundle["text/html"])).bytes.toString()).toBe(figure.toSVG());
  });

  test("thousands of features are one shape for each colour", () => {
    const rows = Array.from({ length: 2500 }, (_, id) => ({
      id,
      kind: id % 2 ? "a" : "b",
      geometry: rectangle(11 + id / 100, 48, 0.009),
    }));
    expect(paths(layerMap(from(rows), "kind").outerHTML).filter((d) => d !== "")).toHaveLength(2);
  });

  test("collections are drawn among few and many features", () => {
    const collection = { type: "GeometryCollection", geometries: [rectangle(10, 47, 0.01), point(10, 48)] };
    const drawn = (count: number) => {
      const rows = Array.from({ length: count }, () => ({ geometry: point(11, 48) }));
      return paths(layerMap(from([...rows, { geometry: collection }])).outerHTML).join("");
    };
    const corners = (path: string) => path.match(/M/g)?.length;
    expect(corners(drawn(1))).toBe(3);
    expect(corners(drawn(2500))).toBe(2502);
  });

  test("listed values keep their colours in every figure", () => {
    const figure = layerMap(points([{ STATUS: "CLOSED" }]), "STATUS", {
      order: ["OPEN", "CLOSED"],
      color: { range: ["red", "green"] },
    });
    expect(figure.outerHTML).toMatch(/fill="green"[^>]*>(<title>|<\/path>)/);
  });
});

describe("mapPanels", () => {
  test("has a panel for each date, with the features that existed then", () => {
    const figure = mapPanels(history, "STATUS", { dates: ["2024-02-01", "2024-03-10", "2024-03-30"] });
    expect(figure.scale("fx")?.domain).toHaveLength(3);
    expect(figure.outerHTML).toContain("P-1, 2024-03-10: BLOCKED");
    expect(figure.outerHTML).toContain("P-3, 2024-03-10: unknown");
    expect(figure.outerHTML).not.toContain("P-1, 2024-02-01");
  });

  const months = from(
    Array.from({ length: 9 }, (_, month) => ({
      date: `2024-0${month + 1}-01`,
      id: 1,
      STATUS: month < 1 ? "OPEN" : "CLOSED",
      geometry: rectangle(11, 48, 0.01),
    })),
  );
  const shown = (figure: Figure) => [...new Set(figure.outerHTML.match(/(?<=1, )[0-9-]+(?=: (OPEN|CLOSED))/g))];

  test("accepts steps and tables, and rejects unordered dates", () => {
    const steps = mapPanels(history, "STATUS", { dates: { from: "2024-03-05", until: "2024-03-30", every: "week" } });
    expect(steps.outerHTML).toContain("2024-03-26");
    const later = { from: "2024-02-01", until: "2024-03-01", every: "month" };
    expect(shown(mapPanels(months, "STATUS", { dates: ["2024-02-01"] }))).toEqual(["2024-02-01"]);
    expect(shown(mapPanels(months, "STATUS", { dates: later }))).toEqual(["2024-02-01", "2024-03-01"]);
    expect(mapPanels(months, "STATUS", { dates: later }).scale("fx")?.domain).toHaveLength(2);
    expect(mapPanels(history, "STATUS", { dates: [] }).outerHTML).toContain("No dates");
    expect(() => mapPanels(history, "STATUS", { dates: ["2024-03-30", "2024-03-01"] })).toThrow(ArgumentError);
  });

  test("shows by default at most six days of changes, or every date of a table", async () => {
    const asked = (figure: Figure) => / on ([^;]*); values/.exec(figure.outerHTML)?.[1];
    expect(asked(mapPanels(history, "STATUS"))).toBe("2024-03-01, 2024-03-06, 2024-03-11, 2024-03-21");
    const propertyChanges = Array.from({ length: 20 }, (_, n) =>
      change(n + 1, {
        new_value: n % 2 ? "CLOSED" : "OPEN",
        created_at: `2024-02-${String(n + 5).padStart(2, "0")}T09:00:00Z`,
      }),
    );
    const layerFeatures = [feature(1, { geometry: rectangle(11, 48, 0.01), created_at: "2024-02-05T00:00:00Z" })];
    const busy = await fromRecords({ datasets: [], layerFeatures, propertyChanges }).history({ site_id: 12 });
    expect(asked(mapPanels(busy, "STATUS"))).toBe(
      "2024-02-05, 2024-02-09, 2024-02-13, 2024-02-16, 2024-02-20, 2024-02-24",
    );
    expect(shown(mapPanels(months, "STATUS"))).toHaveLength(9);
  });

  test.each<[string, readonly unknown[]]>([
    ["a list", [["2024-03-05"]]],
    ["a list and options", [["2024-03-05"], { order: ["OPEN"] }]],
    ["a date", ["2024-03-05"]],
    ["steps", [{ from: "2024-03-05", until: "2024-03-30", every: "week" }]],
    ["a grid and options", [{ dates: ["2024-03-05"] }, { order: ["OPEN"] }]],
  ])("rejects dates that are given as %s before the options, with a fix", (_, former) => {
    const call = mapPanels as (...given: unknown[]) => unknown;
    expect(() => call(history, "STATUS", ...former)).toThrow(
      expect.objectContaining({ code: "ERR_ARGUMENT", hint: expect.stringContaining("{ dates") }),
    );
  });
});

describe("mapAnimation", () => {
  const dates = ["2024-02-01", "2024-03-05", "2024-03-10", "2024-03-30"];

  test("shows itself, and the last date if scripts cannot run", async () => {
    const map = mapAnimation(history, "STATUS", { dates, title: 'A "<b>" & c' });
    const bundle = await toMimeBundle(map);
    expect(bundle["text/plain"]).toBe("[Time map: 3 features, 4 dates from 2024-02-01 to 2024-03-30]");
    expect(bundle["text/html"]).toContain('sandbox="allow-scripts allow-downloads"');
    expect(bundle["text/html"]).toContain("A &quot;&lt;b&gt;&quot; &amp; c");
    const fallback = fallbackOf(map.outerHTML);
    expect(fallback.type).toBe("svg+xml");
    expect(fallback.bytes.toString()).toBe(map.toSVG());
    expect(map.toSVG()).toContain("P-1: CLOSED");
  });

  test.each([["2024-02-01"], [["2024-02-30"]], [{ dates: "2024-02-01" }]])(
    "of a table rejects the dates %j",
    (asked) => {
      const table = from([{ date: "2024-02-01", id: 1, STATUS: "OPEN", geometry: rectangle(11, 48, 0.01) }]);
      expect(() => mapAnimation(table, "STATUS", { dates: asked as Dates })).toThrow(ArgumentError);
    },
  );

  const factsOf = (map: { readonly outerHTML: string }) => frameFacts(map.outerHTML) as MapPayload;

  /** Label and column values for each feature in the frame's script, for dates in this order. */
  function played(facts: MapPayload, dates: readonly number[]) {
    const values = mapValues(facts.columns, facts.names.length);
    let state = values.before();
    return dates.map((date) => {
      if (date < state.date) state = values.before();
      values.goOn(state, date);
      return facts.names.map((_, row) => [
        facts.labels[(state.labels[row] ?? 0) - 1],
        ...facts.columns.map((_column, column) => values.textOf(state, column, row)),
      ]);
    });
  }

  test("the player shows the values of mapPanels, forward and backward", () => {
    const facts = factsOf(mapAnimation(history, "STATUS", { dates, tip: ["DEPTH", "visible_id", "STATUS"] }));
    expect(facts.names).toEqual(["P-1", "P-2", "P-3"]);
    const { range } = valueColours(["OPEN", "BLOCKED", "CLOSED", "unknown"], { isProcess: true });
    expect(facts.colours).toEqual(range);
    expect(facts.columns.map(({ label }) => label)).toEqual(["STATUS", "DEPTH"]);
    const [end, third, first, again] = played(facts, [3, 2, 0, 3]);
    expect(end?.map(([label]) => label)).toEqual(["CLOSED", "OPEN", "OPEN"]);
    expect(third?.map(([label]) => label)).toEqual(["BLOCKED", "OPEN", "unknown"]);
    expect(first?.map(([label]) => label)).toEqual([undefined, undefined, undefined]);
    expect(again).toEqual(end);
    expect(third?.map(([, status]) => status)).toEqual(["BLOCKED", "OPEN", "unknown"]);
    expect(end?.map(([, , depth]) => depth)).toEqual(["1", "20", "none"]);
  });

  test("the frame has the value of each feature at each date", () => {
    const cell = fc.option(fc.oneof(fc.constantFrom("a", "b", "</script>"), fc.double({ noNaN: true })), {
      nil: undefined,
    });
    const grid = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(grid, (cells) => {
        const rows = cells.flatMap((values, day) =>
          values.map((value, id) => ({
            date: `2024-01-0${day + 1}`,
            id,
            value: value ?? null,
            geometry: rectangle(id, 48, 1),
          })),
        );
        const facts = factsOf(mapAnimation(from(rows), "value"));
        const days = cells.map((_, day) => day);
        const expected = cells.map((values) => values.map((value) => shownAs(value)));
        expect(played(facts, days).map((features) => features.map(([, text]) => text))).toEqual(expected);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  /** Six digits of fractions, and all of other values. */
  function shownAs(value: unknown): string {
    if (value === undefined) return "none";
    return String(typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value);
  }

  test("empty features, first and last, leave the others their shapes", () => {
    const empty: Geometry = { type: "MultiPolygon", coordinates: [] };
    const geometries = [empty, rectangle(11, 48, 0.01), rectangle(11.02, 48, 0.01), empty];
    const rows = geometries.map((geometry, id) => ({ date: "2024-01-01", id, KIND: `kind ${id}`, geometry }));
    const { shapes } = factsOf(mapAnimation(from(rows), "KIND"));
    const { parts } = frameShapes(shapes, 4, 100, 100);
    expect([...parts]).toEqual([0, 0, 1, 2, 2]);
  });

  test("pages allow only the scripts of frames", () => {
    const { code, hash } = frameScript("map");
    expect(hash).toBe(`sha256-${createHash("sha256").update(code).digest("base64")}`);
    const page = toHtml({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    expect(page).toContain(`'${frameScript("chart").hash}' '${hash}'`);
    const inner = framePageOf(mapAnimation(history, "STATUS", { dates }).outerHTML);
    expect(inner).toContain(`script-src '${hash}'`);
    expect(inner).toContain(`<script>${code}</script>`);
  });

  test("hostile data cannot leave its element", () => {
    const label = '</script><img src=x onerror="1">';
    const rows = [{ date: '2024-01-01"></script>', id: 1, STATUS: label, geometry: rectangle(11, 48, 0.01) }];
    const map = mapAnimation(from(rows), "STATUS");
    const inner = framePageOf(map.outerHTML);
    expect(inner).not.toContain("<img");
    expect(inner).toContain("&lt;/script&gt;&lt;img");
    expect(inner.match(/<\/script>/g)).toHaveLength(2);
    expect(factsOf(map)).toMatchObject({ labels: [label], dates: ['2024-01-01"></script>'] });
  });

  test("plays the days of changes by default", () => {
    const { dates: days } = factsOf(mapAnimation(history, "STATUS"));
    expect(days).toEqual(["2024-03-01", "2024-03-06", "2024-03-11", "2024-03-21"]);
    expect(() => mapAnimation(from([{ date: "2024-01-01", id: 1, a: 1, geometry: null }]), "a")).toThrow(ArgumentError);
  });

  test("days begin and end in the history's time zone", async () => {
    const records = {
      datasets: [],
      layerFeatures: [feature(1, { properties: { STATUS: "CLOSED" } })],
      propertyChanges: [
        change(1, { new_value: "OPEN", created_at: "2024-03-01T20:00:00Z" }),
        change(2, { new_value: "CLOSED", created_at: "2024-03-10T20:00:00Z" }),
      ],
    };
    const source = fromRecords(records, { readAt: new Date("2024-03-10T21:00:00Z") });
    const inTokyo = await source.history({ site_id: 12 }, { timeZone: "Asia/Tokyo" });
    const map = mapAnimation(inTokyo, "STATUS");
    expect(factsOf(map).dates).toEqual(["2024-01-01", "2024-03-02", "2024-03-11"]);
    expect(map.toSVG()).toContain("F-1: CLOSED");
    expect(burnDown(inTokyo, "STATUS").outerHTML).toContain("0 on 2024-03-11.");
  });
});
