import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { from, table } from "arquero";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Output } from "../../../src/notebook/file/notebook.js";
import { toHtml } from "../../../src/notebook/page/to-html.js";
import { layerMap } from "../../../src/plot/index.js";
import { unpackNumbers } from "../../../src/tables/display/live/pack-numbers.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { openBrowser } from "../../support/open-browser.js";
import { packedIds } from "../../tables/display/live/packed-ids.js";
import { code, displayed, markdown, notebookOf, shownBy } from "../cells.js";

const browserPath = findBrowser();

describe.runIf(browserPath)("a page in a browser", () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const address = (name: string) => pathToFileURL(join(folder, `${name}.html`)).href;
  const isShown = (selector: string) => page.locator(selector).first().isVisible();

  beforeAll(async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 31 }, (_, at) => [
        `column ${at}`,
        Array.from({ length: 60 }, () => (at === 1 ? null : "some words")),
      ]),
    );
    const data = await toMimeBundle(table(columns));
    const shown: Output = { output_type: "execute_result", data, metadata: {}, execution_count: 1 };
    const parts = ["Eins", "Zwei", "\u65e5\u672c\u8a9e"].flatMap((title) => [
      markdown(`## ${title}\n\n${"Text. ".repeat(900)}`),
      { ...code("const secret = 1;"), outputs: [] },
    ]);
    const cells = [markdown("# Title"), { ...code("table"), outputs: [shown] }, ...parts];
    for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.html`), toHtml(notebookOf(...cells)));
    writeFileSync(join(folder, "others.html"), toHtml(notebookOf(...cells), { noCode: true }));
    browser = await openBrowser();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  afterAll(() => browser?.close());

  test("hides code, and remembers it on other pages", async () => {
    await page.goto(address("one"));
    expect(await isShown(".code")).toBe(true);
    await page.getByRole("switch", { name: "Code" }).uncheck();
    expect(await isShown(".code")).toBe(false);
    expect(await isShown(".siteframe-table")).toBe(true);
    const height = (index: number) =>
      page
        .locator(".cell")
        .nth(index)
        .evaluate((cell) => cell.getClientRects().length);
    expect(await height(3)).toBe(0);
    // Another process reads the stored setting a moment later.
    const isShownIn = async (name: string) => {
      await page.goto(address(name));
      return isShown(".code");
    };
    await expect.poll(() => isShownIn("two")).toBe(false);
    await page.getByRole("switch", { name: "Code" }).check();
    await expect.poll(() => isShownIn("two")).toBe(true);
  });

  test("shows a live map of all features with any packed numbers", async () => {
    const rows = packedIds.map((id, row) => ({ id, geometry: { type: "Point", coordinates: [11 + row / 1e4, 48] } }));
    const data = await toMimeBundle(layerMap(from(rows)));
    writeFileSync(join(folder, "map.html"), toHtml(notebookOf(shownBy("map", displayed(data)))));
    await page.goto(address("map"));
    await page.frameLocator("iframe").locator("html.live").waitFor({ state: "attached" });
    // The frame's script removes its facts from the document.
    const facts = await page.evaluate(
      'new DOMParser().parseFromString(document.querySelector("iframe").srcdoc, "text/html").getElementById("payload").textContent',
    );
    const { ids } = JSON.parse(String(facts)) as { readonly ids: string };
    let id = 0;
    expect(Array.from(unpackNumbers(ids), (step) => (id += step))).toEqual(packedIds);
  });

  test("hides code without scripts", async () => {
    const still = await browser.newPage({ javaScriptEnabled: false });
    await still.goto(address("one"));
    await still.locator(".switch input").uncheck();
    expect(await still.locator(".code").first().isVisible()).toBe(false);
    await still.close();
  });

  test("lists its contents at the side, in view while it is scrolled; on a phone closed", async () => {
    await page.goto(address("one"));
    const list = page.getByRole("navigation", { name: "Contents" });
    await list.getByRole("link", { name: "\u65e5\u672c\u8a9e" }).click();
    const heading = page.getByRole("heading", { name: "\u65e5\u672c\u8a9e" });
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(400);
    await expect.poll(() => new URL(page.url()).hash).toBe(`#${encodeURIComponent("\u65e5\u672c\u8a9e")}`);
    const box = await list.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.x).toBeGreaterThan(900);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1280);
    await page.setViewportSize({ width: 400, height: 800 });
    await expect.poll(() => list.getByRole("link", { name: "Zwei" }).isVisible()).toBe(false);
    await list.getByText("Contents").click();
    await list.getByRole("link", { name: "Zwei" }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#zwei");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
  });

  test("prints the readable parts, with a note about the rest", async () => {
    for (const name of ["one", "others"]) {
      await page.goto(address(name));
      await page.emulateMedia({ media: "print" });
      for (const selector of [".switch", ".contents", ".anchor", ".siteframe-view iframe"]) {
        expect(await isShown(selector)).toBe(false);
      }
      expect(await isShown(".code")).toBe(name === "one");
      const note = await page.locator(".note.paper").innerText();
      expect(note).toMatch(/\d+ of 31 columns printed, the page has all\. Not printed: column 1, column \d+/);
      expect(note.startsWith("15 of 60 rows. The page has more.")).toBe(name === "one");
      const rows = page.locator(".siteframe-table tbody tr");
      const printed = await rows.evaluateAll((all) => all.filter((row) => row.getClientRects().length > 0).length);
      expect(printed).toBe(name === "one" ? 15 : 50);
      expect(await isShown(".note.screen")).toBe(name === "others");
      expect(await page.locator(".siteframe-table").innerText()).not.toContain("null");
    }
  });
});
