import { from } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import type { History } from "../../../src/index.js";
import { burnDown, cumulativeFlow, type Figure, Plot, plot } from "../../../src/plot/index.js";
import { darkColors, palette } from "../../../src/plot/values/palette.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../../support/records.js";
import { fallbackOf } from "../fallback-of.js";
import { historyOf } from "../history-of.js";
import { decodePng, inkAtEdge } from "../png/decode-png.js";

const data = [
  { place: "A long category name", value: 1, kind: "a" },
  { place: "B", value: 3, kind: "b" },
];

describe("plot", () => {
  test("draws without a browser, and shows itself", async () => {
    const figure = plot({ marks: [Plot.dot(data, { x: "value", y: "value" })] });
    const bundle = await toMimeBundle(figure);
    expect(figure.tagName.toLowerCase()).toBe("svg");
    expect(bundle["text/plain"]).toMatch(/^\[Plot \d+ × \d+\]$/);
    expect(figure.outerHTML).toContain("<circle");
    expect(fallbackOf(bundle)).toContain("<circle");
    expect(fallbackOf(bundle)).toContain('xmlns="http://www.w3.org/2000/svg"');
    expect(fallbackOf(bundle)).toContain("prefers-color-scheme: dark");
    expect(figure.scale("x")?.domain).toEqual([1, 3]);
  });

  test("the chart of a figure has no offset, which Firefox ignores in the place of an element", () => {
    const svg = plot({
      title: "T",
      color: { legend: true },
      marks: [Plot.dot(data, { x: "value", fill: "value" })],
    }).toSVG();
    expect(svg.match(/<svg/g)?.length).toBeGreaterThan(1);
    expect(svg).not.toMatch(/<svg[^>]* [xy]="/);
  });

  test("a title, swatches and a ramp make a figure; the image is the chart", async () => {
    const swatches = plot({
      title: "<T>",
      color: { legend: true },
      marks: [Plot.barX(data, { x: "value", fill: "kind" })],
    });
    expect(swatches.tagName.toLowerCase()).toBe("figure");
    expect(swatches.outerHTML).toContain("&lt;T&gt;");
    const ramp = plot({ color: { legend: true }, marks: [Plot.dot(data, { x: "value", fill: "value" })] });
    const image = fallbackOf(await toMimeBundle(ramp));
    for (const shown of [ramp.outerHTML, image]) expect(shown).toContain("data:image/svg+xml;base64,");
    expect(image).toContain("<circle");
  });

  test("categories have legible colors, with counterparts on dark pages; colors of the user stay", () => {
    const bars = Plot.barX(data, Plot.groupY({ x: "count" }, { y: "place", fill: "kind" }));
    const [first = "", second = ""] = palette;
    for (const figure of [plot({ marks: [bars] }), plot({ color: { type: "categorical" }, marks: [bars] })]) {
      expect([...(figure.scale("color")?.range ?? [])].slice(0, 2)).toEqual([first, second]);
      expect(figure.toSVG()).toContain(`[fill="${first}"]{fill:${darkColors.get(first)}}`);
    }
    const own = plot({ color: { range: ["#123456", "#654321"] }, marks: [bars] }).toSVG();
    expect(own).toContain('fill="#123456"');
    expect(own).not.toContain('[fill="#123456"]');
    const numbers = plot({ marks: [Plot.dot(data, { x: "value", fill: "value" })] });
    expect(numbers.scale("color")?.type).toBe("linear");
  });

  test("has a description, also in an untrusted notebook without the drawing", async () => {
    const options = {
      title: "Tickets <b>",
      subtitle: "by place",
      caption: "Two places",
      ariaLabel: "Two bars & a line",
    };
    const bundle = await toMimeBundle(plot({ ...options, marks: [Plot.barX(data, { x: "value" })] }));
    const words = "Tickets <b>. by place. Two places. Two bars & a line.";
    expect(bundle["text/plain"]).toMatch(new RegExp(`^\\[Plot \\d+ × \\d+\\] ${words}$`));
    expect(bundle["text/html"]).toContain('<img alt="Tickets &lt;b&gt;. by place. Two places. Two bars &amp; a line."');
    expect(String(bundle["image/png"])).toMatch(/^iVBORw0KGgo/);
    const long = await toMimeBundle(plot({ title: "word ".repeat(500), marks: [] }));
    expect(String(long["text/plain"]).length).toBeLessThan(450);
  });

  test("an image has its own background behind halos, or the background of its style", () => {
    const marks = [Plot.dot(data, { x: "value" })];
    const basemap = (style: object) => /<svg[^>]* style="([^"]*)"/.exec(plot({ style, marks }).toSVG())?.[1];
    expect(basemap({})).not.toContain("--plot-background");
    expect(basemap({ "--plot-background": "#eee" })).toContain("--plot-background:#eee");
  });

  test("long labels get room", async () => {
    const figure = plot({ marks: [Plot.barX(data, { x: "value", y: "place" })] });
    const image = decodePng(await figure.toPNG({ scale: 1 }));
    expect(inkAtEdge(image)).toEqual([]);
    expect(/width="(\d+)"/.exec(figure.toSVG())?.[1]).toBe(String(image.width));
  });

  test.each(["left", "right"] as const)("the label of an axis on the %s does not overlap its values", (axis) => {
    const svg = plot({ y: { axis, label: "place" }, marks: [Plot.barX(data, { x: "value", y: "place" })] }).toSVG();
    const [, shift, x] = (
      /translate\(([-\d.]+),0\)" aria-label="y-axis label"><text transform="translate\(([-\d.]+),/.exec(svg) ?? []
    ).map(Number);
    const beside = Math.abs(Number(shift) + Number(x) - (axis === "left" ? 48 : 620));
    // Tick and gap, then twenty characters, mostly wider than half their height, then the label.
    expect(beside).toBeGreaterThan(9 + 12 * 20 * 0.45 + 12);
    const [left = 0, , width = 0] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "").split(" ").map(Number);
    const at = Number(shift) + Number(x);
    expect(at).toBeGreaterThanOrEqual(left);
    expect(at).toBeLessThanOrEqual(left + width);
  });

  test("numbers at the end of a chart get room, also in bold", () => {
    const rows = [{ date: "2024-01-01", STATUS: "OPEN", count: 12_345 }];
    const svg = burnDown(from(rows), "STATUS").toSVG();
    const [, width = 0] = (/viewBox="0 0 (\S+) /.exec(svg) ?? []).map(Number);
    const [, x = 0] = (/<text transform="translate\(([\d.]+),[^>]*>12,345</.exec(svg) ?? []).map(Number);
    // Six characters. Bold digits are 0.69 times as wide as they are high.
    expect(width - x).toBeGreaterThan(8 + 13 * (5 * 0.69 + 0.38));
  });

  test("the label above an axis does not overlap the topmost number", () => {
    const figure = plot({
      inset: 0,
      y: { label: "values", domain: [0, 6] },
      marks: [Plot.dot(data, { x: "value", y: "value" })],
    });
    const y = (pattern: RegExp) => Number(pattern.exec(figure.outerHTML)?.[1]);
    const shift = y(/translate\(\S+,(-?\d+)\)" text-anchor="start" aria-label="y-axis label"/);
    const label = y(/aria-label="y-axis label"><text transform="translate\(\S+,([-\d.]+)\)"/) + shift;
    // Its characters are 12 pixels high in total. Numbers are 4 pixels above their place.
    expect(20 - 4 - (label + 12)).toBeGreaterThanOrEqual(3.9);
    expect(label).toBeGreaterThanOrEqual(0);
  });

  test("slanted labels get room", async () => {
    const marks = [Plot.barY(data, { x: "place", y: "value" })];
    const figure = plot({ height: 200, x: { tickRotate: -60 }, marks });
    const { width, height, at } = decodePng(await figure.toPNG({ scale: 1 }));
    const edge = Array.from({ length: width }, (_, x) => at(x, height - 1).join());
    expect(new Set(edge)).toEqual(new Set(["255,255,255,255"]));
  });

  test("the user's style wins", () => {
    expect(() => plot({ widht: 300 } as object)).toThrow(/has no option/);
    expect(plot({ style: { fontSize: "20px" } }).outerHTML).toContain("20px");
    expect(plot({ style: "color: red" }).outerHTML).toContain("color: red");
  });

  test("marks have a method plot()", () => {
    expect(Plot.plot({ marks: [Plot.frame()] }).outerHTML).toContain("<svg");
    expect(String(Plot.dot(data, { x: "value" }).plot({ height: 77 }).outerHTML)).toContain('height="77"');
  });
});

const stages = ["OPEN", "IN_PROGRESS", "BLOCKED", "CLOSED"];

describe("colours of a property in the user's marks", () => {
  let history: History;

  beforeAll(async () => {
    const layerFeatures = stages.map((STATUS, at) =>
      feature(at + 1, {
        created_at: "2024-01-01T00:00:00Z",
        properties: { STATUS, PRIORITY: ["URGENT", "LOW"][at % 2], Crew: ["b", "a"][at % 2] },
        geometry: null,
      }),
    );
    const propertyChanges = stages.flatMap((_, at) =>
      stages.slice(0, at + 1).map((new_value, step) =>
        change(10 * at + step + 1, {
          layer_feature_id: at + 1,
          created_at: new Date(Date.UTC(2024, 1, 1 + step)).toISOString(),
          new_value,
        }),
      ),
    );
    history = await historyOf(layerFeatures, propertyChanges, "2024-06-01T00:00:00Z");
  });

  const coloursOf = (figure: Figure) => {
    const { domain = [], range = [] } = figure.scale("color") ?? {};
    return Object.fromEntries([...domain].map((label, place) => [label, [...range][place]]));
  };

  test("are the colours of other figures, in the order of the log", () => {
    const table = history.asOf("2024-05-01");
    const colours = coloursOf(cumulativeFlow(history, "STATUS"));
    for (const marks of [
      [Plot.dot(table, { x: "id", fill: "STATUS" })],
      [[Plot.barX(table, Plot.groupY({ x: "count" }, { y: "STATUS", fill: "STATUS" })), Plot.ruleX([0])]],
      [null, Plot.tickX(table, { x: "id", stroke: "STATUS" })],
    ]) {
      const figure = plot({ marks });
      expect([...(figure.scale("color")?.domain ?? [])]).toEqual(stages);
      expect(coloursOf(figure)).toEqual(colours);
    }
  });

  test("show priorities, and are Plot's colours for other values", () => {
    const table = history.asOf("2024-05-01");
    const colour = (fill: string, data: object = table) =>
      plot({ marks: [Plot.dot(data as typeof table, { x: "id", fill })] }).scale("color");
    expect([...(colour("PRIORITY")?.domain ?? [])]).toEqual(["LOW", "URGENT"]);
    const own = (fill: string) => Plot.dot(table.objects(), { x: "id", fill });
    for (const name of ["Crew", "id"]) {
      const { domain, range } = plot({ marks: [own(name)] }).scale("color") ?? {};
      expect(colour(name)).toMatchObject({ domain, range });
    }
    // This table is not from Siteframe.
    expect([...(colour("STATUS", from(table.objects()))?.domain ?? [])]).toEqual(stages.toSorted());
  });

  test("are the colours of the user's options", () => {
    const marks = [Plot.dot(history.asOf("2024-05-01"), { x: "id", fill: "STATUS" })];
    const rangeOf = (color: object) => [...(plot({ marks, color }).scale("color")?.range ?? [])];
    const ours = rangeOf({});
    expect(rangeOf({ legend: true })).toEqual(ours);
    expect(rangeOf({ scheme: "greys" })).not.toEqual(ours);
    expect(rangeOf({ range: ["red", "blue"] })).toEqual(["red", "blue"]);
  });
});
