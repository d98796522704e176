import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findBrowser } from "../support/browser.js";
import { demoPages } from "../support/demo-pages.js";
import { openBrowser } from "../support/open-browser.js";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const vitepress = join(root, "site/node_modules/vitepress/bin/vitepress.js");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

function canBuild(): boolean {
  if (existsSync(vitepress)) return true;
  const reason = "VitePress is not installed. Run npm ci --prefix site";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return false;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves a folder, so that pages can load modules. */
async function serve(folder: string): Promise<Server> {
  const server = createServer(({ url = "/" }, response) => {
    const path = join(folder, decodeURIComponent(new URL(url, "http://site").pathname));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    const type = types[extname(file)];
    response.writeHead(existsSync(file) ? 200 : 404, type ? { "content-type": type } : {});
    response.end(existsSync(file) ? readFileSync(file) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

describe.runIf(findBrowser() && canBuild())("the documentation as a site", () => {
  const folder = temporaryFolder();
  let address = "";
  let server: Server;
  let browser: Browser;
  let names: readonly string[] = [];
  /** Pages of VitePress. The pages of the demo have their own test. */
  let pages: readonly string[] = [];
  const requests: string[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    await run(process.execPath, [vitepress, "build", join(root, "site"), "--outDir", folder], { maxBuffer: 1e8 });
    await run(process.execPath, [join(root, "site/write-examples.mjs"), folder, await demoPages()]);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    names = files.map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".html"));
    pages = names.filter((name) => !name.startsWith("examples/") && name !== "404.html");
    server = await serve(folder);
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function open(colorScheme: "light" | "dark", width: number): Promise<Page> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    return page;
  }

  test("has every page of the documentation and the demo", () => {
    const folders = ["tutorial", "how-to", "explanation", "coming-from"].filter((name) => existsSync(`docs/${name}`));
    const written = folders.flatMap((name) => readdirSync(`docs/${name}`).map((file) => `${name}/${file}`));
    const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));
    const examples = ["gallery.html", ...notebooks.map((name) => name.replace(".ipynb", ".html"))];
    const wanted = [
      ...written.map((name) => name.replace(".md", ".html")),
      ...examples.map((name) => `examples/${name}`),
    ];
    expect(written).toContain("tutorial/1-first-table.md");
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
    const others = ["index.html", "documentation.html", "install.html", "recipes.html", "troubleshooting.html"];
    expect(pages).toEqual(expect.arrayContaining([...others, "api/siteframe/plot.html", "decisions/index.html"]));
  });

  test("has no broken link or anchor, and requests nothing from other servers", async () => {
    const page = await open("light", 1280);
    const links = new Map<string, readonly string[]>();
    const anchors = new Map<string, ReadonlySet<string>>();
    for (const name of names) {
      await page.goto(address + name);
      const found = "[...document.querySelectorAll('[href], [src]')].map(({ href, src }) => href ?? src)";
      links.set(name, (await page.evaluate(found)) as string[]);
      const ids = "[...document.querySelectorAll('[id]')].map(({ id }) => id)";
      anchors.set(name, new Set((await page.evaluate(ids)) as string[]));
    }
    const broken: string[] = [];
    let followed = 0;
    for (const [name, urls] of links) {
      for (const url of urls.filter((each) => String(each).startsWith(address))) {
        const { pathname, hash } = new URL(url);
        const path = decodeURIComponent(pathname.slice(1)).replace(/(^|\/)$/, "$1index.html");
        const isThere =
          hash === "" ? existsSync(join(folder, path)) : anchors.get(path)?.has(decodeURIComponent(hash.slice(1)));
        if (!isThere) broken.push(`${name}: ${url.slice(address.length)}`);
        followed += 1;
      }
    }
    expect(broken).toEqual([]);
    expect(followed).toBeGreaterThan(2000);
    expect(requests.filter((url) => !url.startsWith(address) && !/^(data|blob|about):/.test(url))).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  test.each([
    // The same styles apply to the longest pages, which take most of the time of axe.
    ["light", 1280, /^(?!api\/siteframe\.html|decisions\/0)/],
    ["dark", 400, /./],
  ] as const)("passes axe and fits the window, %s and %d pixels wide", async (colorScheme, width, which) => {
    const page = await open(colorScheme, width);
    const found: Record<string, unknown> = {};
    // The first column of some tables needs no name.
    const options = { resultTypes: ["violations"], rules: { "empty-table-header": { enabled: false } } };
    for (const name of pages.filter((each) => which.test(each))) {
      await page.goto(address + name);
      const beyond = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
      await page.evaluate(axe);
      const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
      const faults = violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`),
      );
      if (beyond > 0) faults.push(`${beyond} pixels wider than the window`);
      if (faults.length > 0) found[name] = faults;
    }
    expect(found).toEqual({});
    await page.close();
  });

  test("is searched with the keyboard", async () => {
    const page = await open("light", 1280);
    await page.goto(`${address}tutorial/2-past-dates.html`);
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").waitFor();
    await page.keyboard.type("survival");
    await expect.poll(() => page.locator(".VPLocalSearchBox .result").count()).toBeGreaterThan(3);
    const selected = page.locator(".VPLocalSearchBox .result.selected");
    expect(await selected.textContent()).toMatch(/survival/i);
    const href = await page.evaluate<string>("document.querySelector('.VPLocalSearchBox .result.selected').href");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toBe(href);
    await page.close();
  });

  test("opens its menu with a button on a narrow screen", async () => {
    const page = await open("dark", 400);
    await page.goto(address);
    await page.waitForLoadState("networkidle");
    const link = page.locator(".VPSidebar a", { hasText: "Glossary" });
    await page.locator(".VPLocalNav .menu").click();
    await link.click();
    await expect.poll(() => page.url()).toBe(`${address}glossary.html`);
    // The address changes before the page.
    await expect.poll(() => page.locator("h1").textContent()).toContain("Glossary");
    await page.close();
  });

  test("is read from files without a server", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const openFile = (name: string) => pathToFileURL(join(folder, name)).href;
    await page.goto(openFile("tutorial/2-past-dates.html"));
    expect(await page.evaluate<string>("getComputedStyle(document.querySelector('.VPSidebar')).position")).toBe(
      "fixed",
    );
    await page.locator(".VPSidebar a", { hasText: "Overview" }).click();
    await expect.poll(() => page.url()).toBe(openFile("index.html"));
    expect(await page.evaluate<number>("document.querySelector('.vp-doc img').naturalWidth")).toBeGreaterThan(0);
    await page.close();
  });
});
