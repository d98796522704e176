import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../support/browser.js";
import { demoPages } from "../support/demo-pages.js";
import { openBrowser } from "../support/open-browser.js";

const browserPath = findBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe.runIf(browserPath)("the documentation as a site", () => {
  let folder = "";
  let browser: Browser;
  let names: readonly string[] = [];
  /** All but the pages of the demo, which have a test of their own. */
  let pages: readonly string[] = [];
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-site-"));
    const script = join(import.meta.dirname, "../../scripts/make-site.mjs");
    await promisify(execFile)(process.execPath, [script, folder, await demoPages()], { maxBuffer: 1e8 });
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    names = files.map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".html"));
    pages = names.filter((name) => !name.startsWith("examples/"));
    browser = await openBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const addressOf = (name: string) => pathToFileURL(join(folder, name)).href;

  async function open(colorScheme: "light" | "dark", width: number): Promise<Page> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    return page;
  }

  test("has every page of the guide, the reference, the decisions and the demo", () => {
    const guides = readdirSync("docs/guide").map((name) => name.replace("README", "index").replace(".md", ".html"));
    const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));
    const examples = notebooks.map((name) => name.replace(".ipynb", ".html"));
    const wanted = [...guides.map((name) => `guide/${name}`), ...examples.map((name) => `examples/${name}`)];
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
    expect(pages).toEqual(expect.arrayContaining(["index.html", "api/siteframe/plot.html", "decisions/index.html"]));
  });

  test("has no link that leads nowhere, and asks for nothing from outside", async () => {
    const page = await open("light", 1280);
    const links = new Map<string, readonly string[]>();
    const anchors = new Map<string, ReadonlySet<string>>();
    for (const name of names) {
      await page.goto(addressOf(name));
      links.set(name, await page.locator("[href], [src]").evaluateAll((all) => all.map((one) => one.outerHTML)));
      anchors.set(name, new Set(await page.locator("[id]").evaluateAll((all) => all.map((one) => one.id))));
    }
    const broken: string[] = [];
    let followed = 0;
    for (const [name, elements] of links) {
      for (const element of elements) {
        const [, link = ""] = / (?:href|src)="([^"]*)"/.exec(element) ?? [];
        const { protocol, pathname, hash } = new URL(link, addressOf(name));
        if (protocol !== "file:") continue;
        const file = fileURLToPath(`file://${pathname}`);
        const target = relative(folder, file).replaceAll("\\", "/");
        const ids = anchors.get(target);
        const isThere = existsSync(file) && (hash === "" || ids?.has(decodeURIComponent(hash.slice(1))));
        if (!isThere) broken.push(`${name}: ${link}`);
        followed += 1;
      }
    }
    expect(broken).toEqual([]);
    expect(followed).toBeGreaterThan(2000);
    expect(requests.filter((url) => !/^(file|data|blob|about):/.test(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each([
    // The same rules of style hold for the longest pages, which take axe most of its time.
    ["light", 1280, /^(?!api\/siteframe\.html|decisions\/0)/],
    ["dark", 400, /./],
  ] as const)(
    "has nothing for axe to find, %s and %d pixels wide, and nothing beside the screen",
    async (colorScheme, width, which) => {
      const page = await open(colorScheme, width);
      const found: Record<string, unknown> = {};
      for (const name of pages.filter((each) => which.test(each))) {
        await page.goto(addressOf(name));
        const beside = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
        await page.evaluate(axe);
        const { violations } = (await page.evaluate(
          `axe.run(document, { resultTypes: ["violations"] })`,
        )) as AxeResults;
        const faults = violations.flatMap(({ id, nodes }) =>
          nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`),
        );
        if (beside > 0) faults.push(`${beside} pixels beside the screen`);
        if (faults.length > 0) found[name] = faults;
      }
      expect(found).toEqual({});
      await page.close();
    },
    300_000,
  );

  test("is searched from every page, by keys alone", async () => {
    const page = await open("light", 1280);
    await page.goto(addressOf("guide/time.html"));
    await page.keyboard.press("/");
    await page.keyboard.type("survival");
    await expect.poll(() => page.locator("#found a").count()).toBeGreaterThan(3);
    expect(await page.locator("#found mark").first().textContent()).toMatch(/survival/i);
    await page.keyboard.press("ArrowDown");
    const { href, text } = (await page.evaluate(
      "({ href: document.activeElement.href, text: document.activeElement.querySelector('b').textContent })",
    )) as { readonly href: string; readonly text: string };
    expect(text).toMatch(/survival/i);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toBe(href);
    await page.locator("#search").fill("no such words anywhere");
    await expect.poll(() => page.locator("#status").textContent()).toBe("Nothing was found.");
    await page.close();
  });

  test("has its menu behind a button on a narrow screen", async () => {
    const page = await open("dark", 400);
    await page.goto(addressOf("index.html"));
    const link = page.locator("nav a", { hasText: "Glossary" });
    expect(await link.isVisible()).toBe(false);
    await page.locator("#menu").click();
    await link.click();
    await expect.poll(() => page.url()).toBe(addressOf("glossary.html"));
    expect(await page.locator("h1").textContent()).toBe("Glossary");
    await page.close();
  });
});
