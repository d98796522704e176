import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseNotebook } from "../../../src/notebook/file/notebook-file.js";
import { toHtml } from "../../../src/notebook/page/to-html.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { demoPages } from "../../support/demo-pages.js";
import { notebookText } from "../../support/notebook-text.js";
import { openBrowser } from "../../support/open-browser.js";
import { everyView } from "../../tables/display/every-view.js";

const browserPath = findBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const settings: RunOptions = { iframes: false, resultTypes: ["violations"] };

/** Serious and critical violations in one document of a page. */
async function violationsOf(frame: Frame): Promise<readonly string[]> {
  await frame.evaluate(axe);
  const { violations } = (await frame.evaluate(`axe.run(document, ${JSON.stringify(settings)})`)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target} ${html.slice(0, 200)}`));
}

/** In a frame: opens every menu and column. */
const openAll = `for (const one of document.querySelectorAll("#choose, th button")) one.click()`;

async function checkPage(page: Page, file: string): Promise<readonly string[]> {
  await page.goto(pathToFileURL(file).href);
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const found: string[] = [];
  for (const frame of page.frames()) {
    if (frame !== page.mainFrame()) await frame.locator("html.live").waitFor({ state: "attached" });
    found.push(...(await violationsOf(frame)));
    if (frame === page.mainFrame()) continue;
    await frame.evaluate(openAll);
    found.push(...(await violationsOf(frame)));
  }
  return [...new Set(found)];
}

describe.runIf(browserPath)("pages for screen readers and keyboards", () => {
  const folder = temporaryFolder();
  let browser: Browser;

  beforeAll(async () => {
    const demo = await demoPages();
    for (const name of readdirSync(demo)) if (name.endsWith(".html")) cpSync(join(demo, name), join(folder, name));
    const cells = (await everyView()).map(({ kind, bundle }) => ({ source: `// ${kind}`, bundles: [bundle] }));
    writeFileSync(join(folder, "every-view.html"), toHtml(parseNotebook(notebookText(cells)), { title: "Every view" }));
    browser = await openBrowser();
  }, 300_000);

  afterAll(() => browser?.close());

  test.each([
    ["light", 1280],
    ["dark", 400],
  ] as const)(
    "axe finds nothing serious in the demo, %s and %d pixels wide",
    async (colorScheme, width) => {
      const pages = readdirSync(folder).filter((name) => name.endsWith(".html"));
      expect(pages.length).toBeGreaterThan(9);
      const found: Record<string, readonly string[]> = {};
      for (const name of pages) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        const violations = await checkPage(page, join(folder, name));
        if (violations.length > 0) found[name] = violations;
        await page.close();
      }
      expect(found).toEqual({});
    },
    300_000,
  );
});
