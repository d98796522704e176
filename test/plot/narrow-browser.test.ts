import { from } from "arquero";
import type { Frame, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { History } from "../../src/index.js";
import {
  burnDown,
  captureChanges,
  cumulativeFlow,
  type Figure,
  layerMap,
  type MapAnimation,
  mapPanels,
  Plot,
  plot,
  sCurve,
  survivalCurve,
} from "../../src/plot/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../support/browser.js";
import { liveFrame, useBrowser } from "../support/use-browser.js";
import { pageOf } from "../tables/display/page-of.js";
import { historyFigures } from "./history-figures.js";
import { gridMiddle, gridSquare, inkedBox } from "./maps/grid-squares.js";
import { plottedHistory } from "./plotted-history.js";
import { weeklyHistory } from "./weekly-history.js";

const browserPath = findBrowser();
const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];
const plan = from([
  { date: "2024-03-01", value: 0 },
  { date: "2024-03-20", value: 3 },
]);
const rows = Array.from({ length: 12 }, (_, index) => ({ a: index % 4, b: index, year: `${2024 + (index % 3)}` }));

describe.runIf(browserPath)("figures on a narrow page", () => {
  const openPage = useBrowser();
  let page: Page;
  let history: History;
  let tickets: History;
  let problems: readonly string[];

  beforeAll(async () => {
    history = await plottedHistory();
    tickets = await weeklyHistory();
  });

  async function open(figure: Figure | MapAnimation, width = 400, settings: object = {}): Promise<Frame> {
    const data = await toMimeBundle(figure);
    await page?.close();
    ({ page, problems } = await openPage({ viewport: { width, height: 1000 }, ...settings }));
    await page.setContent(pageOf(data));
    return liveFrame(page);
  }

  const numbers = (frame: Frame, code: string) => frame.evaluate<readonly number[]>(code);
  /** Heights of characters on the page, in pixels. */
  const letters = (frame: Frame) =>
    numbers(
      frame,
      `[...document.querySelectorAll("#figure text")].filter((one) => one.textContent).map((one) => {
        const { c, d } = one.getScreenCTM();
        return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(c, d);
      })`,
    );
  /** The height of the frame's picture and its tools, above the height of the frame. */
  const excess = (frame: Frame) =>
    frame.evaluate<number>(
      `[...document.querySelectorAll("#controls, #tools")].reduce((sum, { offsetHeight }) => sum + offsetHeight, 0) +
        document.querySelector("#figure svg").getBoundingClientRect().height - innerHeight`,
    );

  const figures: Readonly<Record<string, () => Figure | MapAnimation>> = {
    ...Object.fromEntries(Object.entries(historyFigures).map(([name, draw]) => [name, () => draw(history)])),
    "sCurve with a plan": () => sCurve(history, "STATUS", { dates, stages: ["OPEN", "BLOCKED", "CLOSED"], plan }),
    "sCurve with a forecast": () =>
      sCurve(tickets, "STATUS", { stages: ["OPEN", "CLOSED"], forecast: { trials: 500 } }),
    "burnDown with a forecast": () => burnDown(tickets, "STATUS", { forecast: { trials: 500 } }),
    "survivalCurve by a column": () =>
      survivalCurve(history, "STATUS", { start: "OPEN", done: "BLOCKED", by: "DEPTH" }),
    captureChanges: () =>
      captureChanges(from(["new", "fixed", "not_surveyed"].map((status) => ({ capture: "2024-03-30", status })))),
    plot: () => plot({ title: "Mine", marks: [Plot.dot(rows, { x: "a", y: "b" })] }),
  };

  test.each(Object.keys(figures))("%s has readable text, and its frame fits its fallback", async (name) => {
    const frame = await open(figures[name]?.() as Figure);
    await expect.poll(async () => Math.min(...(await letters(frame)))).toBeGreaterThan(8.5);
    await expect.poll(async () => Math.abs(await excess(frame))).toBeLessThan(2);
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(problems).toEqual([]);
  });

  test("a figure shows its other drawing if the page becomes wide, with tips in both", async () => {
    const frame = await open(plot({ marks: [Plot.dot(rows, { x: "a", y: "b" })] }));
    const spoken = () => frame.evaluate<string>(`document.getElementById("said").textContent`);
    const width = () => frame.evaluate<number>(`document.querySelector("#figure svg").viewBox.baseVal.width`);
    for (const [viewport, drawn] of [
      [400, 360],
      [1000, 640],
      [500, 360],
    ] as const) {
      await page.setViewportSize({ width: viewport, height: 1000 });
      await expect.poll(width).toBe(drawn);
      await expect.poll(async () => Math.abs(await excess(frame))).toBeLessThan(2);
      await frame.focus("#figure");
      await page.keyboard.press("End");
      await expect.poll(spoken).toBe("a 3, b 11");
    }
    expect(problems).toEqual([]);
  });

  test("figures show the drawing of the page's width when they scroll into view", async () => {
    const data = await toMimeBundle(plot({ marks: [Plot.dot(rows, { x: "a", y: "b" })] }));
    const many = Array.from({ length: 24 }, () => `<p style="height:900px"></p>${data["text/html"]}`).join("");
    await page?.close();
    ({ page } = await openPage({ viewport: { width: 400, height: 900 } }));
    await page.setContent(pageOf({ ...data, "text/html": many }));
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const scrollThrough = async () => {
      for (let top = 0; top < height; top += 800) {
        await page.evaluate(`scrollTo(0, ${top})`);
        await page.waitForTimeout(100);
      }
    };
    const widths = () =>
      Promise.all(
        page
          .frames()
          .slice(1)
          .map((frame) => frame.evaluate<number>(`document.querySelector("#figure svg").viewBox.baseVal.width`)),
      );
    const drawn = async () => {
      // A busy browser may skip painting while it scrolls.
      await scrollThrough();
      return widths();
    };
    await expect.poll(drawn).toEqual(Array.from({ length: 24 }, () => 360));
  });

  test("a long title is wrapped at the edge", async () => {
    const title = "Values that were reported differently on the day";
    const frame = await open(plot({ title, subtitle: title, marks: [Plot.dot(rows, { x: "a", y: "b" })] }));
    const ends = await numbers(
      frame,
      `[...document.querySelectorAll("#figure text")].map((one) => one.getBoundingClientRect().right - innerWidth)`,
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(0);
  });

  test("an explicit width wins, and rows of an iterator are read once", async () => {
    const frame = await open(plot({ width: 640, marks: [Plot.dot(rows, { x: "a", y: "b" })] }));
    expect(await frame.locator("template").count()).toBe(0);
    function* once() {
      yield* rows;
    }
    const single = plot({ marks: [Plot.dot(once() as Iterable<object>, { x: "a", y: "b" })] });
    const dots = await open(single);
    expect(await dots.locator("circle").count()).toBe(rows.length);
  });

  test("small multiples are below each other, each below its name", async () => {
    const marks = [Plot.frame(), Plot.dot(rows, { x: "a", y: "b", fx: "year" })];
    const topsOfYears = `["2024", "2025", "2026"].map((year) =>
      [...document.querySelectorAll("text")].find((one) => one.textContent === year).getBoundingClientRect().y)`;
    const frame = await open(plot({ marks }));
    const names = await numbers(frame, topsOfYears);
    expect([...names].sort((a, b) => a - b)).toEqual(names);
    expect((names[1] ?? 0) - (names[0] ?? 0)).toBeGreaterThan(100);
    await frame.focus("#figure");
    await page.keyboard.press("End");
    await expect.poll(() => frame.evaluate(`document.getElementById("said").textContent`)).toMatch(/^2026, a 3, b 11$/);
    const wide = await open(plot({ marks }), 1000);
    const tops = await numbers(wide, topsOfYears);
    expect(new Set(tops).size).toBe(1);
  });

  test("maps are below each other, with tips for the feature under the pointer", async () => {
    const squares = Array.from({ length: 30 }, (_, id) => {
      return { id, visible_id: `P-${id}`, STATUS: "OPEN", geometry: gridSquare(id, 6) };
    });
    const table = from(["2024-01-01", "2024-02-01"].flatMap((date) => squares.map((row) => ({ ...row, date }))));
    const frame = await open(mapPanels(table, "STATUS"), 400, { viewport: { width: 400, height: 1600 } });
    const canvases = frame.locator("canvas:not(.above)");
    const boxes = [await canvases.nth(0).boundingBox(), await canvases.nth(1).boundingBox()];
    expect(boxes[1]?.y).toBeGreaterThan((boxes[0]?.y ?? 0) + (boxes[0]?.height ?? 0));
    for (const [pane, date] of ["2024-01-01", "2024-02-01"].entries()) {
      // Not where the buttons are.
      for (const id of [0, 3, 14, 24, 29]) {
        const [x, y] = gridMiddle(id, 30, 6);
        const tip = async () => {
          const inked = (await canvases.nth(pane).evaluate(inkedBox)) as [number, number, number, number];
          const box = await canvases.nth(pane).boundingBox();
          const [left, top, right, bottom] = inked;
          const across = left + x * (right - left);
          const down = bottom - y * (bottom - top);
          const at = [(box?.x ?? 0) + across * (box?.width ?? 0), (box?.y ?? 0) + down * (box?.height ?? 0)] as const;
          await page.mouse.move(at[0], at[1] - 1);
          await page.mouse.move(...at);
          return (await frame.locator("#tip b").allInnerTexts()).join();
        };
        await expect.poll(tip).toBe(`P-${id}, ${date}`);
      }
    }
    expect(problems).toEqual([]);
  });
});

describe.runIf(browserPath)("figures in high contrast", () => {
  const openPage = useBrowser();
  let history: History;

  beforeAll(async () => {
    history = await plottedHistory();
  });

  /** The contrast of two colours by the relative luminance of WCAG: 1 to 21. */
  function contrast(colours: readonly string[]): number {
    const [light = 0, dark = 0] = colours
      .map((colour) => {
        const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255);
        const [r = 0, g = 0, b = 0] = parts.map((one) =>
          one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      })
      .sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }

  const settings = [
    { forcedColors: "active", colorScheme: "dark" },
    { forcedColors: "active", colorScheme: "light" },
    { contrast: "more", colorScheme: "dark" },
    { contrast: "more", colorScheme: "light" },
  ] as const;

  test.each(settings)("%j: texts are readable, and a pressed entry is visible", async (setting) => {
    for (const figure of [cumulativeFlow(history, "STATUS", { dates }), layerMap(history, "STATUS")]) {
      const data = await toMimeBundle(figure);
      const { page } = await openPage({ viewport: { width: 900, height: 900 }, ...setting });
      await page.setContent(pageOf(data));
      const frame = await liveFrame(page);
      const colours = await frame.evaluate<readonly string[]>(`(() => {
        const text = document.querySelector("#figure svg text");
        return [getComputedStyle(text).fill, getComputedStyle(document.documentElement).backgroundColor];
      })()`);
      expect(contrast(colours)).toBeGreaterThan(15);
      const faded = await frame.evaluate(
        `[...document.querySelectorAll("#figure svg > g > text")].map((one) => getComputedStyle(one).opacity)`,
      );
      expect(new Set(faded as string[])).toEqual(new Set(["1"]));
      const entries = frame.locator("[data-entry][role=button]");
      await entries.first().click();
      const states = () =>
        entries.evaluateAll((all) =>
          all.map((entry) => {
            const text = entry.querySelector("text") as never;
            const { getComputedStyle: styleOf } = globalThis as unknown as {
              getComputedStyle(element: never): { textDecorationLine: string; opacity: string };
            };
            return [styleOf(text).textDecorationLine, styleOf(entry as never).opacity];
          }),
        );
      await expect
        .poll(async () => (await states()).slice(0, 2))
        .toEqual([
          ["underline", "1"],
          ["none", "0.65"],
        ]);
      await page.close();
    }
  });
});
