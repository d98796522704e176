import { from } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { ArgumentError, type History } from "../../../src/index.js";
import { burnDown, mapAnimation, Plot, plot, toPNG, valueOverTime } from "../../../src/plot/index.js";
import { darkColors, palette } from "../../../src/plot/values/palette.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { fallbackOf } from "../fallback-of.js";
import { plottedHistory } from "../plotted-history.js";
import { decodePng, type Pixels } from "../png/decode-png.js";

let history: History;

beforeAll(async () => {
  history = await plottedHistory();
});

const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];

/** Number of pixels in a box that differ from the corner. */
function inked({ at, width }: Pixels, top: number, bottom: number): number {
  const basemap = at(0, 0).join();
  let count = 0;
  for (let y = top; y < bottom; y += 1) for (let x = 0; x < width; x += 1) count += Number(at(x, y).join() !== basemap);
  return count;
}

describe("toPNG", () => {
  test("has twice the size of the figure, on white", async () => {
    const figure = burnDown(history, "STATUS", { dates, width: 500 });
    const image = decodePng(await figure.toPNG());
    expect(image.width).toBe(1000);
    expect(image.at(0, 0)).toEqual([255, 255, 255, 255]);
    expect(decodePng(await toPNG(figure, { scale: 1 })).width).toBe(500);
    expect(decodePng(await toPNG(figure, { width: 333 })).width).toBe(333);
  });

  // The renderer has no system fonts, so that text needs the fonts of Siteframe.
  test.each(["Title", "Überschrift ≥ 3 – ñ", "Прогресс", "Πρόοδος"])("text appears: %s", async (title) => {
    const draw = async (text: string) =>
      decodePng(await plot({ title: text, marks: [Plot.dot([1])] }).toPNG({ scale: 1 }));
    const [blank, image] = [await draw("\u00a0"), await draw(title)];
    expect(inked(blank, 0, 30)).toBe(0);
    expect(inked(image, 0, 30)).toBeGreaterThan(80);
  });

  test("bold text has another font", async () => {
    const draw = async (fontWeight: string) =>
      decodePng(await plot({ axis: null, marks: [Plot.text(["mmmm"], { fontWeight, fontSize: 30 })] }).toPNG());
    const [regular, bold] = [await draw("normal"), await draw("bold")];
    expect(inked(bold, 0, bold.height)).toBeGreaterThan(1.1 * inked(regular, 0, regular.height));
  });

  test("text is light on a dark background, and the background may be transparent", async () => {
    const brightest = ({ at, width, height }: Pixels) => {
      let most = 0;
      for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) most = Math.max(most, at(x, y)[1] ?? 0);
      return most;
    };
    const figure = plot({ marks: [Plot.ruleY([1]), Plot.dot([1, 2])] });
    const dark = decodePng(await figure.toPNG({ background: "#15191d" }));
    expect(dark.at(0, 0)).toEqual([0x15, 0x19, 0x1d, 255]);
    expect(brightest(dark)).toBeGreaterThan(200);
    expect(decodePng(await figure.toPNG({ background: "transparent" })).at(0, 0)).toEqual([0, 0, 0, 0]);
  });

  test("colors follow the background", async () => {
    const [light = ""] = palette;
    const figure = plot({ axis: null, marks: [Plot.rect([1], { fill: () => "a", x1: 0, x2: 1, y1: 0, y2: 1 })] });
    const middle = async (background: string) => {
      const { at, width, height } = decodePng(await figure.toPNG({ background }));
      return at(Math.floor(width / 2), Math.floor(height / 2));
    };
    const channels = (colour = "") => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
    expect(await middle("#ffffff")).toEqual([...channels(light), 255]);
    expect(await middle("#15191d")).toEqual([...channels(darkColors.get(light)), 255]);
  });

  test.each([
    { background: "red" },
    { background: "#fff" },
    { scale: 0 },
    { scale: -1 },
    { scale: Number.NaN },
    { width: 0 },
    { width: 1e6 },
    { width: Number.POSITIVE_INFINITY },
  ])("rejects %o", async (options) => {
    await expect(plot({ marks: [Plot.dot([1])] }).toPNG(options)).rejects.toThrow(ArgumentError);
  });

  test("draws several images at once", async () => {
    const figures = [100, 200, 300].map((width) => plot({ width, marks: [Plot.dot([1])] }));
    const images = await Promise.all(figures.map(async (figure) => decodePng(await figure.toPNG({ scale: 1 }))));
    expect(images.map(({ width }) => width)).toEqual([100, 200, 300]);
  });
});

describe("a notebook's output", () => {
  const png = (bundle: Record<string, unknown>) => decodePng(Buffer.from(String(bundle["image/png"]), "base64"));

  test("of a figure is HTML with its image below a frame, and a PNG", async () => {
    const figure = burnDown(history, "STATUS", { dates });
    const bundle = await toMimeBundle(figure);
    expect(Object.keys(bundle).sort()).toEqual([
      "application/vnd.siteframe.view.v1+json",
      "image/png",
      "text/html",
      "text/plain",
    ]);
    expect(fallbackOf(bundle)).toBe(figure.toSVG());
    expect(png(bundle).width).toBe(1080);
    expect(String(bundle["image/png"]).length).toBeLessThan(200_000);
  });

  test("of a figure with a width has one drawing", async () => {
    const figure = burnDown(history, "STATUS", { dates, width: 500 });
    expect(fallbackOf(await toMimeBundle(figure))).toBe(figure.toSVG());
  });

  test("of a figure without tips is an SVG and a PNG", async () => {
    const figure = plot({ marks: [Plot.text(["a note"], { frameAnchor: "middle" })] });
    const bundle = await toMimeBundle(figure);
    expect(Object.keys(bundle).sort()).toEqual(["image/png", "image/svg+xml", "text/plain"]);
    expect(bundle["image/svg+xml"]).toBe(figure.toSVG());
  });

  test("of a figure above the limit is a smaller PNG", async () => {
    const names = Array.from({ length: 2500 }, (_, index) => `P-${index}`);
    const held = { value: "OPEN", valid_from: "2024-03-01", valid_to: "2024-03-31" };
    const table = from(names.map((visible_id) => ({ visible_id, ...held })));
    const bundle = await toMimeBundle(valueOverTime(table, "STATUS", { limit: 2500 }));
    expect(fallbackOf(bundle)).toContain("P-2499");
    expect(png(bundle).height).toBeLessThan(8100);
  });

  test("of a time map has its last date as an image, next to and inside the HTML", async () => {
    const map = mapAnimation(history, "STATUS", { dates });
    const bundle = await toMimeBundle(map);
    expect(png(bundle).width).toBe(1140);
    expect(fallbackOf(bundle)).toBe(map.toSVG());
    expect(decodePng(await map.toPNG({ scale: 1 })).width).toBe(760);
    expect(map.toSVG()).toContain("3 features on 2024-03-30");
  });

  test("can be part of HTML and SVG templates", async () => {
    const { html, svg } = await import("../../../src/tables/display/markup-tags.js");
    const figure = plot({ title: "A title", marks: [Plot.dot([1])] });
    expect(html`<b>${figure}</b>`.source).toBe(`<b>${figure.outerHTML}</b>`);
    expect(svg`<svg>${figure}</svg>`.source).toBe(`<svg>${figure.toSVG()}</svg>`);
    expect(html`${mapAnimation(history, "STATUS", { dates })}`.source).toContain("<iframe");
  });

  test("rejects impossible sizes, with a fix", async () => {
    const figure = plot({ marks: [Plot.dot([1])] });
    await expect(figure.toPNG({ width: -4 })).rejects.toMatchObject({
      message: expect.stringContaining("invalid width -4"),
      hint: expect.stringContaining("at least one pixel wide"),
    });
    await expect(figure.toPNG({ scale: 1e5 })).rejects.toMatchObject({ hint: expect.stringContaining("pixels") });
  });
});
