import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { History } from "../../../src/index.js";
import { mapAnimation } from "../../../src/plot/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { change, feature } from "../../support/records.js";
import { rectangle } from "../../support/rectangle.js";
import { liveFrame, useBrowser } from "../../support/use-browser.js";
import { hoverAnew } from "../../tables/display/hover-anew.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";
import { historyOf } from "../history-of.js";

const browserPath = findBrowser();
const day = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);

/** Squares in rows of 200, which change from OPEN to CLOSED on different days. */
async function squares(count: number, days: number): Promise<History> {
  const layerFeatures = Array.from({ length: count }, (_, index) => {
    const [x, y] = [(index % 200) * 0.00006, 38 + Math.floor(index / 200) * 0.00012];
    return feature(index + 1, {
      properties: { STATUS: "CLOSED" },
      geometry: rectangle(x, y, 0.00005, 0.0001),
      created_at: "2023-12-01T00:00:00Z",
    });
  });
  const at = (id: number, new_value: string, created_at: string, n: number) =>
    change(n, { layer_feature_id: id, new_value, created_at });
  const propertyChanges = layerFeatures.flatMap(({ id }) => [
    at(id, "OPEN", "2023-12-01T00:00:00Z", 2 * id),
    at(id, "CLOSED", `${day(1 + ((id * 7) % (days - 1)))}T00:00:00Z`, 2 * id + 1),
  ]);
  return historyOf(layerFeatures, propertyChanges, day(days));
}

describe.runIf(browserPath)("a time map in a browser", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;
  let frame: Frame;

  /** Opens a map in a notebook page, with that page's policy. */
  async function open(history: History, days: number): Promise<readonly string[]> {
    const map = mapAnimation(history, "STATUS", { dates: Array.from({ length: days }, (_, index) => day(index)) });
    const file = join(folder, `${days}.html`);
    writeFileSync(file, pageOf({ "text/html": map.outerHTML }));
    const opened = await openPage({ viewport: { width: 1000, height: 900 } });
    page = opened.page;
    await page.goto(`file://${file}`);
    frame = await liveFrame(page);
    await untilPointed(page, frame);
    return opened.problems;
  }

  const date = () => frame.locator("#date").textContent();
  const play = () => frame.locator("#play");
  const tally = async (label: string) =>
    (await frame.locator("[data-entry]", { hasText: label }).locator("text").textContent())?.replace(label, "").trim();
  const slider = () => frame.locator("#slider");
  /** How many pixels of the canvas have each colour. */
  const painted = () =>
    frame.locator("canvas:not(.above)").evaluate((canvas) => {
      const { width, height, getContext } = canvas as unknown as {
        width: number;
        height: number;
        getContext(kind: string): { getImageData(...box: number[]): { data: Uint8Array } };
      };
      const { data } = getContext.call(canvas, "2d").getImageData(0, 0, width, height);
      const counts = new Map<string, number>();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] !== 255) continue;
        const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      return Object.fromEntries(counts);
    });

  test("plays: the date moves, colours and counts change, pause and keyboard work", async () => {
    const problems = await open(await squares(400, 40), 40);
    expect(await date()).toBe(day(39));
    const swatch = frame.locator("[data-entry]", { hasText: "CLOSED" }).locator("rect").last();
    const fill = await swatch.evaluate((rect) => {
      const page = globalThis as unknown as { getComputedStyle(element: unknown): { readonly fill: string } };
      return page.getComputedStyle(rect).fill;
    });
    const closed = (fill.match(/\d+/g) ?? []).join(",");
    const atEnd = (await painted())[closed] ?? 0;
    expect(atEnd).toBeGreaterThan(1000);
    expect(await tally("CLOSED")).toBe("400");

    await play().click();
    await expect.poll(() => play().textContent()).toBe("Pause");
    await expect.poll(date).not.toBe(day(39));
    await expect.poll(async () => Number(await tally("CLOSED"))).toBeGreaterThan(50);
    await play().click();
    await expect.poll(() => play().textContent()).toBe("Play");
    const paused = await date();
    const during = (await painted())[closed] ?? 0;
    expect(during).toBeGreaterThan(0);
    expect(during).toBeLessThan(atEnd);
    await page.waitForTimeout(900);
    expect(await date()).toBe(paused);

    await slider().focus();
    await page.keyboard.press("Home");
    await expect.poll(date).toBe(day(0));
    await expect.poll(() => slider().getAttribute("aria-valuetext")).toBe(day(0));
    await expect.poll(async () => (await painted())[closed]).toBeUndefined();
    await page.keyboard.press("ArrowRight");
    await expect.poll(date).toBe(day(1));
    await page.keyboard.press("End");
    await expect.poll(date).toBe(day(39));
    await expect.poll(async () => (await painted())[closed]).toBe(atEnd);

    // The tip of a feature shows its value at each date.
    await slider().focus();
    await page.keyboard.press("Home");
    const tip = () => frame.locator("#tip").innerText();
    const pointed = async () => {
      await hoverAnew(page, frame.locator("canvas:not(.above)"));
      return tip();
    };
    await expect.poll(pointed).toMatch(/^F-\d+\nSTATUS\s+OPEN$/);
    await page.keyboard.press("End");
    await expect.poll(tip).toMatch(/^F-\d+\nSTATUS\s+CLOSED$/);
    await expect.poll(date).toBe(day(39));

    // Shift+Tab moves the focus from the slider to the button, which Space presses.
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await expect.poll(date).not.toBe(day(39));
    await expect.poll(() => play().textContent(), { timeout: 60_000 }).toBe("Play");
    await expect.poll(date).toBe(day(39));
    expect(problems).toEqual([]);
  });

  test("on a phone the controls and tools are right below the map, and nothing is wider than the page", async () => {
    await open(await squares(50, 10), 10);
    await page.setViewportSize({ width: 400, height: 800 });
    const bottom = (box: { y: number; height: number } | null) => (box?.y ?? 0) + (box?.height ?? 0);
    const gaps = async () => {
      const view = await page.locator(".siteframe-view").boundingBox();
      const parts = ["#controls", "#stage", "#tools"].map((id) => frame.locator(id).boundingBox());
      const [controls = null, map = null, tools = null] = await Promise.all(parts);
      return Math.max(
        Math.abs((controls?.y ?? 0) - bottom(map)),
        Math.abs((tools?.y ?? 0) - bottom(controls)),
        Math.abs(bottom(view) - bottom(tools)),
      );
    };
    await expect.poll(gaps).toBeLessThan(2);
    const widest = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth";
    await expect.poll(() => page.evaluate(widest)).toBeLessThanOrEqual(0);
    await expect.poll(() => page.frames()[1]?.evaluate(widest)).toBeLessThanOrEqual(0);
  });

  test("20,000 features play without skipping a date", async () => {
    await open(await squares(20_000, 300), 300);
    await slider().focus();
    await page.keyboard.press("Home");
    await expect.poll(date).toBe(day(0));
    await frame.locator("#date").evaluate((label) => {
      const { performance, MutationObserver, requestAnimationFrame } = globalThis as unknown as {
        performance: { now(): number };
        MutationObserver: new (call: () => void) => { observe(target: unknown, options: object): void };
        requestAnimationFrame(call: () => void): void;
      };
      const times: number[] = [];
      Object.assign(globalThis, { times });
      const stamp = () => times.push(performance.now());
      new MutationObserver(() => requestAnimationFrame(stamp)).observe(label, { childList: true });
    });
    await play().click();
    await expect.poll(async () => String(await date()) >= day(120), { timeout: 60_000 }).toBe(true);
    await play().click();
    const times = (await frame.locator("#date").evaluate(() => Reflect.get(globalThis, "times"))) as number[];
    const steps = times
      .slice(1)
      .map((time, index) => time - (times[index] ?? time))
      .sort((a, b) => a - b);
    const [median = 0, slow = 0] = [steps[Math.floor(steps.length / 2)], steps[Math.floor(0.95 * steps.length)]];
    process.stdout.write(
      `frames of 20,000 features: median ${median.toFixed(0)} ms, 95 % below ${slow.toFixed(0)} ms\n`,
    );
    // Every step sets the date in a separate task.
    expect(steps.length).toBeGreaterThan(110);
    expect(await tally("CLOSED")).toBe((await countClosed()).toLocaleString("en-US"));
  });

  async function countClosed(): Promise<number> {
    const index = Math.round((Date.parse((await date()) ?? "") - Date.UTC(2024, 0, 1)) / 86_400_000);
    return Array.from({ length: 20_000 }, (_, row) => 1 + (((row + 1) * 7) % 299)).filter((closed) => closed <= index)
      .length;
  }
});
