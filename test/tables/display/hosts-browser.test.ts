import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Plot, plot } from "../../../src/plot/index.js";
import { html } from "../../../src/tables/display/markup-tags.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { notebookText } from "../../support/notebook-text.js";
import { openBrowser } from "../../support/open-browser.js";
import { findPython, type Python } from "../../support/python.js";
import { type Lab, startLab } from "../../support/start-lab.js";
import { everyView, type NamedBundle } from "./every-view.js";
import { pageOf } from "./page-of.js";
import { watchPage } from "./watch-page.js";

const browserPath = findBrowser();
const found = findPython("jupyterlab,nbconvert");
const pictures = join(import.meta.dirname, "../../out/hosts");
/** Sources of MathJax and RequireJS in nbconvert's pages. */
const libraries = ["https://cdnjs.cloudflare.com/", "https://cdn.jsdelivr.net/", "https://unpkg.com/"];
const light = "rgb(255, 255, 255)";
const dark = "rgb(21, 25, 29)";

/** In the page: whether each fallback is visible. */
const lookAtStills = `[...document.querySelectorAll(".siteframe-view")].map((view) => {
  const still = view.querySelector("img, table");
  const { width, height } = still.getBoundingClientRect();
  const loaded = still.localName !== "img" || still.naturalWidth > 100;
  return loaded && width > 100 && height > 50 && getComputedStyle(still).visibility === "visible";
})`;

describe.runIf(browserPath && found)("every kind of view in its hosts", () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let views: readonly NamedBundle[];
  let bundles: readonly NamedBundle["bundle"][];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    views = await everyView();
    const figure = plot({ title: "Sizes", subtitle: "Of texts", caption: "Below", marks: [Plot.dot([[1, 2]])] });
    bundles = [...views.map(({ bundle }) => bundle), await toMimeBundle(html`<p>Inline</p>${figure}`)];
    const cells = bundles.map((bundle) => ({ source: "", bundles: [bundle] }));
    writeFileSync(join(folder, "views.ipynb"), notebookText(cells));
    // Jupyter trusts what a notebook holds, whatever file that is in.
    writeFileSync(join(folder, "trusted.ipynb"), notebookText([...cells, { source: "// trusted" }]));
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  const rootOf = (page: Page, index: number) =>
    page.locator(".siteframe-view iframe").nth(index).contentFrame().locator("html.live");

  async function untilLive(page: Page): Promise<void> {
    await expect.poll(() => page.locator(".siteframe-view iframe").count()).toBe(views.length);
    await Promise.all(views.map((_, index) => rootOf(page, index).waitFor({ state: "attached" })));
  }

  /** Waits until each view is live and each frame has a background. */
  async function expectBasemaps(page: Page, basemap: string): Promise<void> {
    await untilLive(page);
    const basemaps = () =>
      Promise.all(
        views.map((_, index) =>
          rootOf(page, index).evaluate(`getComputedStyle(document.documentElement).backgroundColor`),
        ),
      );
    await expect.poll(basemaps).toEqual(views.map(() => basemap));
  }

  const nothingIsCut = (page: Page) =>
    expect
      .poll(() => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"))
      .toBeLessThanOrEqual(0);

  /** Checks that the text of a figure in a cell's HTML is as large as in its image. */
  async function expectTexts(page: Page): Promise<void> {
    const sizes = `[...document.querySelectorAll("figure > :is(h2, h3, figcaption)")].map((text) => getComputedStyle(text).fontSize)`;
    await expect.poll(() => page.evaluate(sizes)).toEqual(["16px", "13px", "11.5px"]);
  }

  async function expectStills(page: Page): Promise<void> {
    await expect.poll(() => page.evaluate(lookAtStills)).toEqual(views.map(() => true));
  }

  describe("JupyterLab without our extension", () => {
    let lab: Lab;
    const own = () => [lab.url, lab.url.replace("http", "ws")];

    beforeAll(async () => {
      const python = found as Python;
      execFileSync(python.program, ["-m", "jupyter", "trust", join(folder, "trusted.ipynb")], { env: python.env });
      lab = await startLab(python, folder);
    });

    afterAll(() => lab?.stop());

    test("a trusted notebook is live", async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 4500 }, colorScheme: null });
      const { problems } = watchPage(page, own());
      await page.goto(`${lab.url}/lab/tree/trusted.ipynb?reset`);
      await expectBasemaps(page, light);
      await expectTexts(page);
      await page.screenshot({ path: join(pictures, "lab-trusted.png") });
      expect(problems).toEqual([]);
      await page.close();
    });

    test("an untrusted notebook shows the fallbacks", async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 4500 }, colorScheme: null });
      const { problems } = watchPage(page, own());
      await page.goto(`${lab.url}/lab/tree/views.ipynb?reset`);
      await expect.poll(() => page.locator(".siteframe-view").count()).toBe(views.length);
      expect(await page.locator(".jp-OutputArea iframe").count()).toBe(0);
      await expectStills(page);
      await page.screenshot({ path: join(pictures, "lab-untrusted.png") });
      expect(problems).toEqual([]);
      await page.close();
    });
  });

  // Pages and frames have the theme of the conversion, not of the system. A preference that Playwright emulates would
  // also hold in frames, regardless of the page around them: the browser itself is dark here.
  describe.each([
    ["light", ["--theme=light"], light],
    ["dark", ["--theme=dark"], dark],
    ["classic", ["--template=classic"], light],
  ] as const)("nbconvert, a %s page", (name, options, basemap) => {
    let file = "";

    beforeAll(() => {
      const python = found as Python;
      const [from, to] = [join(folder, "views.ipynb"), `--output-dir=${pictures}`];
      const convert = ["-m", "nbconvert", "--to=html", "--log-level=ERROR", ...options, to, `--output=${name}`, from];
      execFileSync(python.program, convert, { env: python.env });
      file = pathToFileURL(join(pictures, `${name}.html`)).href;
    });

    test.each([
      ["light", 1280],
      ["dark", 1280],
      ["dark", 400],
    ] as const)("on a %s system, %i pixels wide", async (scheme, width) => {
      const setting = `--blink-settings=preferredColorScheme=${scheme === "dark" ? 0 : 1}`;
      const onSystem = await openBrowser([setting]);
      try {
        const page = await onSystem.newPage({ viewport: { width, height: 4500 }, colorScheme: null });
        // The page loads MathJax from elsewhere; the outputs may send no requests.
        const stub = "export default new Proxy({}, { get: () => () => undefined });";
        await page.route(/^https?:/, (route) => {
          const body = route.request().url().endsWith(".mjs") ? stub : "";
          return route.fulfill({ body, contentType: "text/javascript" });
        });
        const { problems } = watchPage(page, ["file:", ...libraries]);
        await page.goto(file);
        expect(await page.evaluate(`matchMedia("(prefers-color-scheme: ${scheme})").matches`)).toBe(true);
        await expectBasemaps(page, basemap);
        await expectTexts(page);
        const picture = `nbconvert-${name}-on-${scheme}-${width}.png`;
        await page.screenshot({ path: join(pictures, picture), fullPage: true });
        expect(problems).toEqual([]);
      } finally {
        await onSystem.close();
      }
    });
  });

  describe("a page of siteframe run", () => {
    let file = "";
    let text = "";

    beforeAll(() => {
      text = pageOf(...bundles);
      writeFileSync(join(pictures, "page.html"), text);
      file = pathToFileURL(join(pictures, "page.html")).href;
    });

    test.each([
      ["light", 1280, light],
      ["dark", 1280, dark],
      ["light", 400, light],
      ["dark", 400, dark],
    ] as const)("on a %s system, %i pixels wide", async (colorScheme, width, basemap) => {
      const page = await browser.newPage({ viewport: { width, height: 4500 }, colorScheme });
      const { problems } = watchPage(page, ["file:"]);
      await page.goto(file);
      await expectBasemaps(page, basemap);
      await nothingIsCut(page);
      await page.screenshot({ path: join(pictures, `page-${colorScheme}-${width}.png`), fullPage: true });
      expect(problems).toEqual([]);
      await page.close();
    });

    test("shows the fallbacks without the hashes of the scripts", async () => {
      const strict = text.replace(/script-src [^;]*;/, "script-src 'none';");
      writeFileSync(join(folder, "strict.html"), strict);
      const page = await browser.newPage({ viewport: { width: 1280, height: 4500 }, colorScheme: "light" });
      const refused: string[] = [];
      page.on("console", (message) => {
        if (/Content Security Policy/.test(message.text())) refused.push(message.text());
      });
      await page.goto(pathToFileURL(join(folder, "strict.html")).href);
      await expect.poll(() => refused.length).toBeGreaterThanOrEqual(views.length);
      for (const index of views.keys()) {
        const body = page.locator(".siteframe-view iframe").nth(index).contentFrame().locator("body");
        expect(await body.evaluate("getComputedStyle(document.body).visibility")).toBe("hidden");
      }
      await expectStills(page);
      await page.screenshot({ path: join(pictures, "page-without-scripts.png"), fullPage: true });
      await page.close();
    });

    test("prints complete fallbacks", async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 4500 }, colorScheme: "light" });
      await page.goto(file);
      await untilLive(page);
      await page.emulateMedia({ media: "print" });
      await expect.poll(() => page.locator(".siteframe-view iframe:visible").count()).toBe(0);
      await expectStills(page);
      await page.pdf({ path: join(pictures, "page.pdf"), format: "A4" });
      // As wide as an A4 page without its margins.
      await page.setViewportSize({ width: 720, height: 1000 });
      await nothingIsCut(page);
      await page.screenshot({ path: join(pictures, "page-print.png"), fullPage: true });
      await page.close();
    });

    test("uses the colors of a forced palette", async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 4500 } });
      await page.emulateMedia({ forcedColors: "active", contrast: "more", colorScheme: "dark" });
      await page.goto(file);
      const canvas = await page.evaluate<string>(`(() => {
        const probe = document.body.appendChild(document.createElement("p"));
        probe.style.color = "Canvas";
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color;
      })()`);
      await expectBasemaps(page, canvas);
      const inner = `getComputedStyle(document.querySelector("svg.siteframe-plot") ?? document.documentElement).backgroundColor`;
      for (const index of views.keys()) {
        const frame = page.locator(".siteframe-view iframe").nth(index).contentFrame();
        const basemap = () => frame.locator("html").evaluate(inner).then(String);
        await expect.poll(basemap).toBeOneOf([canvas, "rgba(0, 0, 0, 0)"]);
      }
      await page.screenshot({ path: join(pictures, "page-high-contrast.png"), fullPage: true });
      await page.close();
    });
  });
});
