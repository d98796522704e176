import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { table } from "arquero";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { layerMap, mapAnimation } from "../../src/plot/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { plottedHistory } from "../plot/plotted-history.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findBrowser } from "../support/browser.js";
import { useBrowser } from "../support/use-browser.js";
import { pageOf } from "../tables/display/page-of.js";

const rows = Array.from({ length: 100 }, (_, row) => row);
const shown = table({ n: rows.map((row) => (row * 7) % 100), STATUS: rows.map((row) => (row % 3 ? "OPEN" : "DONE")) });

describe.runIf(findBrowser())("the state of views in a page", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();

  async function open(...values: readonly unknown[]) {
    const file = join(folder, "views.html");
    writeFileSync(file, pageOf(...(await Promise.all(values.map((value) => toMimeBundle(value))))));
    const { page, problems } = await openPage({ viewport: { width: 1000, height: 900 } });
    await page.goto(pathToFileURL(file).href);
    return { page, problems };
  }
  const frameOf = (page: Page, index = 0) => page.frameLocator("iframe").nth(index);
  /** The saved state of a view, once a condition on its JSON holds. */
  const saved = async (page: Page, text: string, index = 0) =>
    expect.poll(() => page.evaluate<string>(`JSON.stringify(history.state?.views?.[${index}]) ?? ""`)).toContain(text);

  test("keeps sorting, filters, columns and widths of a table when the page is reloaded", async () => {
    const { page, problems } = await open(shown);
    const frame = frameOf(page);
    const head = (name: string) => frame.locator("th", { has: frame.locator(`.name[title="${name}"]`) });
    await frame.locator("html.live").waitFor();
    await head("n").locator(".name").click();
    await head("STATUS").locator(".top button").first().click();
    await head("n").locator("input").fill("> 9");
    await expect.poll(() => frame.locator("#count").textContent()).toMatch(/^60 of/);
    await head("n").locator("input").press("Escape");
    await head("STATUS").locator(".name").focus();
    await frame.locator("#choose").click();
    await frame.locator("#chooser div", { hasText: "STATUS" }).getByTitle("to the left").click();
    await frame.locator("#find").fill("op");
    await saved(page, '"find":"op"');
    const before = await frame.locator("tbody tr:not(.space)").first().textContent();
    await page.reload();
    await expect.poll(() => frame.locator("#count").textContent()).toMatch(/^60 of/);
    expect(await frame.locator("tbody tr:not(.space)").first().textContent()).toBe(before);
    expect(await head("n").getAttribute("aria-sort")).toBe("ascending");
    expect(await head("n").locator("input").inputValue()).toBe("> 9");
    expect(await frame.locator("#find").inputValue()).toBe("op");
    expect(await frame.locator("th .name").first().getAttribute("title")).toBe("STATUS");
    expect(await frame.locator("#filters button").textContent()).toContain("STATUS = OPEN");
    expect(problems).toEqual([]);
  });

  test("keeps the scroll position, and ignores states of other tables and invalid ones", async () => {
    const { page, problems } = await open(shown);
    const frame = frameOf(page);
    await frame.locator("html.live").waitFor();
    await frame.locator("#scroll").evaluate((box) => box.scrollTo(0, 50 * 25));
    await saved(page, '"top":50');
    await page.reload();
    await expect.poll(() => frame.locator("#scroll").evaluate((box) => box.scrollTop)).toBe(50 * 25);
    for (const state of [{ columns: ["other"], find: "x" }, "text", { columns: ["n", "STATUS"], sorts: 7 }]) {
      await page.evaluate(`history.replaceState({ views: { 0: ${JSON.stringify(state)} } }, "")`);
      await page.reload();
      await frame.locator("html.live").waitFor();
      await expect.poll(() => frame.locator("#count").textContent()).toBe("100 rows · 2 columns");
      await expect.poll(() => frame.locator("tbody tr:not(.space)").count()).toBeGreaterThan(10);
    }
    expect(problems).toEqual([]);
  });

  test("keeps zoom, selection and legend of a map, and the date of an animation", async () => {
    const history = await plottedHistory();
    const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];
    const { page, problems } = await open(layerMap(history, "STATUS"), mapAnimation(history, "STATUS", { dates }));
    const [map, played] = [frameOf(page, 0), frameOf(page, 1)];
    for (const frame of [map, played]) await frame.locator("html.live").waitFor();
    await map.locator("#find").fill("P-2");
    await map.locator("#find").press("Enter");
    await map.locator("#in").click();
    await map.locator("[data-entry]").first().click();
    await played.locator("#slider").fill("0");
    await saved(page, '"ids":["', 0);
    await saved(page, dates[0] as string, 1);
    const told = await map.locator("#told").textContent();
    await page.reload();
    await expect.poll(() => map.locator("#told").textContent()).toBe(told);
    expect(told).toContain("P-2");
    expect(await map.locator("[data-entry]").first().getAttribute("aria-pressed")).toBe("true");
    await expect.poll(() => map.locator("#out").isEnabled()).toBe(true);
    await expect.poll(() => played.locator("#date").textContent()).toBe(dates[0]);
    expect(problems).toEqual([]);
  });
});
