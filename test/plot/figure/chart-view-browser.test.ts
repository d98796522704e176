import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { History } from "../../../src/index.js";
import { cumulativeFlow, type Figure, layerMap, Plot, plot, valueOverTime } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { useBrowser, type WatchedPage } from "../../support/use-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";
import { plottedHistory } from "../plotted-history.js";

const browserPath = findBrowser();
const hostile = `<img src=x onerror="alert(1)"></script><b>bold</b> & "quoted"`;
const dates = Array.from({ length: 10 }, (_, index) => `2024-03-${String(3 * index + 2).padStart(2, "0")}`);

describe.runIf(browserPath)("a chart in a browser", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let history: History;

  beforeAll(async () => {
    history = await plottedHistory();
  });

  interface Opened extends WatchedPage {
    readonly frame: Frame;
    tip(): Promise<string>;
    said(): Promise<string>;
    /** Points at a place of the chart, in pixels of the chart. */
    point(x: number, y: number): Promise<void>;
  }

  /** Opens a figure in a notebook page, with that page's policy. */
  async function open(figure: Figure, width = 900, change = (html: string) => html): Promise<Opened> {
    const data = await toMimeBundle(figure);
    const file = join(folder, `${Math.random()}.html`);
    writeFileSync(file, change(pageOf(data)));
    const { page, problems } = await openPage({ viewport: { width, height: 800 } });
    await page.goto(`file://${file}`);
    const element = await page.waitForSelector("iframe", { state: "attached" });
    const frame = (await element.contentFrame()) as Frame;
    const text = (id: string) => frame.evaluate<string>(`document.getElementById("${id}").innerText`);
    return {
      page,
      frame,
      problems,
      tip: async () => ((await frame.locator("#tip").isVisible()) ? text("tip") : ""),
      said: () => frame.evaluate<string>(`document.getElementById("said").textContent`),
      async point(x, y) {
        const { left, top } = await frame.evaluate<{ left: number; top: number }>(`(() => {
          const { a, d, e, f } = document.querySelector("[data-mark]").closest("svg").getScreenCTM();
          return { left: ${x} * a + e, top: ${y} * d + f };
        })()`);
        const box = await element.boundingBox();
        await page.mouse.move((box?.x ?? 0) + left, (box?.y ?? 0) + top - 0.5);
        await page.mouse.move((box?.x ?? 0) + left, (box?.y ?? 0) + top);
      },
    };
  }

  async function live(frame: Frame): Promise<void> {
    await frame.locator("html.live").waitFor({ state: "attached" });
    await untilPointed(frame.page(), frame);
  }

  test("shows the counts of the history in the tip of each date", async () => {
    const figure = cumulativeFlow(history, "STATUS", { dates });
    const { frame, point, tip, problems, page } = await open(figure);
    await live(frame);
    const x = figure.scale("x");
    for (const date of dates) {
      const tipOf = async () => {
        await point(x?.apply(new Date(date)), 150);
        return tip();
      };
      await expect.poll(tipOf).toMatch(new RegExp(`^${date}, features$`, "m"));
      const lines = new Map((await tip()).split("\n").map((line) => line.split("\t") as [string, string]));
      expect([...lines.keys()][0]).toBe(`${date}, features`);
      const counts = history.counts("STATUS", [date]).objects() as {
        value: string | null;
        state: string;
        count: number;
      }[];
      for (const { value, state, count } of counts) {
        const name = state === "unknown" ? "unknown" : String(value);
        expect(lines.get(name), `${date} ${name}`).toBe(String(count));
      }
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  test("is walked with keys, pinned by a click, and announces its values", async () => {
    const rows = [
      { a: 1, b: 2.5 },
      { a: 2, b: 73.76666666666661 },
      { a: 3, b: 0.001234567 },
    ];
    const figure = plot({ marks: [Plot.dot(rows, { x: "a", y: "b" })] });
    const { frame, page, point, tip, said } = await open(figure);
    await live(frame);
    await frame.focus("#figure");
    for (const words of ["a 1, b 2.5", "a 2, b 73.77", "a 3, b 0.001235"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(said).toBe(words);
    }
    await page.keyboard.press("Home");
    await expect.poll(said).toBe("a 1, b 2.5");
    await page.keyboard.press("Escape");
    await expect.poll(tip).toBe("");
    const at = (row: { a: number; b: number }) =>
      [figure.scale("x")?.apply(row.a), figure.scale("y")?.apply(row.b)] as const;
    const tipOf = async () => {
      await point(...at(rows[1] as (typeof rows)[0]));
      return tip();
    };
    await expect.poll(tipOf).toContain("73.77");
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(said).toContain("73.77");
    await point(...at(rows[2] as (typeof rows)[0]));
    expect(await tip()).toContain("73.77");
    expect(await said()).toContain("73.77");
    await page.close();
  });

  test("shows the start and end of a bar, and all series of steps, in tips", async () => {
    const metres = [1, 2, 7, 8, 9, 12].map((length) => ({ metres: length }));
    const bins = plot({ marks: [Plot.rectY(metres, Plot.binX({ y: "count" }, { x: "metres" } as object))] });
    const histogram = await open(bins);
    await live(histogram.frame);
    const ofBin = async () => {
      await histogram.point(bins.scale("x")?.apply(7), Number(bins.scale("y")?.apply(1)));
      return histogram.tip();
    };
    await expect.poll(ofBin).toBe("metres\t5 to 10\nFrequency\t3");
    await histogram.frame.focus("#figure");
    await histogram.page.keyboard.press("Home");
    await expect.poll(histogram.said).toBe("metres 0 to 5, Frequency 2");
    await histogram.page.close();

    const steps = [
      { group: "a", x: 0, y: 1 },
      { group: "a", x: 9, y: 7 },
      { group: "b", x: 0, y: 11 },
      { group: "b", x: 5, y: 12 },
      { group: "b", x: 8, y: 13 },
    ];
    const line = Plot.lineY(steps, { x: "x", y: "y", stroke: "group", curve: "step-after" });
    const figure = plot({
      x: { label: "days" },
      color: { legend: true },
      marks: [line, Plot.dot([{ x: 3, y: 6 }], { x: "x", y: "y" })],
    });
    const { frame, page, point, tip } = await open(figure);
    await live(frame);
    const at = async (x: number, y: number) => {
      await point(figure.scale("x")?.apply(x), Number(figure.scale("y")?.apply(y)));
      return tip();
    };
    await expect.poll(() => at(5, 9)).toBe("days 5, y\na\t1\nb\t12");
    await expect.poll(() => at(9, 9)).toBe("days 9, y\na\t7");
    // A point next to the curves has a separate tip.
    await expect.poll(() => at(3, 6)).toBe("days\t3\ny\t6");
    await frame.locator("[data-entry]").first().click();
    await expect.poll(() => at(5, 9)).toBe("days 5, y\na\t1");
    await page.close();
  });

  test("selects values by its legend", async () => {
    const { frame, page } = await open(valueOverTime(history, "STATUS"));
    await live(frame);
    const entries = frame.locator("[data-entry][role=button]");
    const pressed = () => entries.evaluateAll((all) => all.map((entry) => entry.getAttribute("aria-pressed")));
    const faint = () =>
      frame.evaluate<number>(
        `[...document.querySelectorAll("[data-mark] > *")].filter((one) => one.style.opacity === "0.12").length`,
      );
    expect(await entries.count()).toBeGreaterThan(1);
    expect(await faint()).toBe(0);
    await entries.first().click();
    await expect.poll(async () => (await pressed()).filter((one) => one === "true").length).toBe(1);
    await expect.poll(faint).toBeGreaterThan(0);
    const one = await faint();
    await entries.nth(1).focus();
    await page.keyboard.press("Shift+Enter");
    await expect.poll(async () => (await pressed()).filter((each) => each === "true").length).toBe(2);
    await expect.poll(faint).toBeLessThan(one);
    await entries.nth(1).click();
    await entries.nth(1).click();
    await expect.poll(faint).toBe(0);
    await page.close();
  });

  test("runs nothing of its data, and reads it as text", async () => {
    const rows = [
      { a: 1, kind: hostile },
      { a: 2, kind: "plain" },
    ];
    const marks = [Plot.dot(rows, { x: "a", fill: "kind", channels: { [hostile]: "kind" } })];
    const figure = plot({ title: hostile, x: { label: hostile }, color: { legend: true }, marks });
    const { frame, page, problems, point, tip } = await open(figure);
    await live(frame);
    const tipOf = async () => {
      await point(figure.scale("x")?.apply(1), (figure.scale("y")?.apply(0) as number | undefined) ?? 15);
      return tip();
    };
    await expect.poll(tipOf).toContain(hostile);
    expect(await frame.locator("#tip img, #tip b b, #figure img").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("shows its fallback if the frame's script cannot run, or the frame is removed", async () => {
    const figure = layerMap(history, "STATUS");
    const { frame, page } = await open(figure, 900, (html) => html.replaceAll(/'sha256-[^']+'/g, "'none'"));
    expect(await frame.evaluate("getComputedStyle(document.body).visibility")).toBe("hidden");
    expect(await frame.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe("rgba(0, 0, 0, 0)");
    const isDrawn = () => page.evaluate(`document.querySelector(".siteframe-view img").naturalWidth > 100`);
    await expect.poll(isDrawn).toBe(true);
    await page.evaluate(`document.querySelector("iframe").remove()`);
    await expect.poll(isDrawn).toBe(true);
    await page.close();
  });

  test("fits a phone, and a tip stays within it", async () => {
    const figure = cumulativeFlow(history, "STATUS", { dates });
    const { frame, page, point } = await open(figure, 400);
    await live(frame);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    // The last date, in the drawing for phones: the names of the bands are next to it.
    const names = await frame.evaluate<number>(
      `Math.min(...[...document.querySelectorAll("#figure [data-entry] text")].map((name) => name.transform.baseVal[0].matrix.e))`,
    );
    let tip = { x: Number.NaN, width: Number.NaN };
    const tipBox = async () => {
      await point(names - 16, 100);
      tip = (await frame.locator("#tip").boundingBox()) ?? tip;
      return tip.x;
    };
    await expect.poll(tipBox).not.toBeNaN();
    const box = await page.locator("iframe").boundingBox();
    expect(tip.x).toBeGreaterThanOrEqual(box?.x ?? 0);
    expect(tip.x + tip.width).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
    await page.close();
  });
});
