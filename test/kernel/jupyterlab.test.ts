import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Plot, plot } from "../../src/plot/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../support/browser.js";
import { notebookText } from "../support/notebook-text.js";
import { openBrowser } from "../support/open-browser.js";
import { findPython, type Python } from "../support/python.js";
import { restartKernel } from "../support/restart-kernel.js";
import { enterLabCell, labCell, runLabCell } from "../support/run-lab-cell.js";
import { type Lab, startLab } from "../support/start-lab.js";
import { hoverAnew } from "../tables/display/hover-anew.js";

const browserPath = findBrowser();
const python = findPython("jupyterlab");
const pictures = join(import.meta.dirname, "../../out/jupyterlab");

const cells = [
  "const answer: number = 6 * 7;\nanswer",
  'const sites = aq.table({ site: ["Llano Verde", "Sandbank"], tickets: [12, 7] });\nsites',
  'Plot.barY(sites, { x: "site", y: "tickets" }).plot()',
  "const wrong: string = answer;\nwrong",
  "console.log('turning'); await null;\nlet turns = 0;\nfor (;;) turns++;",
  "answer + 1",
  'import { plot } from "siteframe/plot";\nplot({ title: "Tickets", marks: [Plot.barY(sites, { x: "site", y: "tickets" })] })',
];

const stopping = [
  "1 + 1",
  "function check(depth: number) {\n  throw new RangeError('depth ' + depth + ' is below the basemap');\n}\ncheck(5)",
  "2 + 2",
  "console.log(3)",
];

/** A notebook with a stored output, which Lab does not trust. */
async function storedNotebook(): Promise<string> {
  const rows = [{ site: "Llano Verde", tickets: 12 }];
  const bundle = await toMimeBundle(plot({ title: "Stored", marks: [Plot.barY(rows, { x: "site", y: "tickets" })] }));
  return notebookText([{ source: "", bundles: [bundle] }]);
}

describe.runIf(python && browserPath)("JupyterLab in a browser", () => {
  let folder = "";
  let lab: Lab;
  let browser: Browser;
  let page: Page;
  let url = "";

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    folder = await mkdtemp(join(pictures, "lab-"));
    writeFileSync(join(folder, "tour.ipynb"), notebookText(cells.map((source) => ({ source }))));
    writeFileSync(join(folder, "stops.ipynb"), notebookText(stopping.map((source) => ({ source }))));
    writeFileSync(join(folder, "stored.ipynb"), await storedNotebook());
    lab = await startLab(python as Python, folder);
    url = lab.url;
    browser = await openBrowser();
    // An emulated preference would also apply to frames.
    page = await browser.newPage({ viewport: { width: 1200, height: 1100 }, colorScheme: null });
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/lab/tree/tour.ipynb?reset`);
    await page.waitForSelector(".jp-Notebook .jp-CodeCell");
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    // Kernels may end later, and write.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const cell = (index: number) => labCell(page, index);
  const prompt = (index: number) => cell(index).locator(".jp-InputPrompt");
  const output = (index: number) => cell(index).locator(".jp-OutputArea");
  const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`) });
  const until = async (read: () => Promise<string | null>, expected: RegExp) =>
    expect.poll(async () => (await read()) ?? "").toMatch(expected);

  const runCell = (index: number) => runLabCell(page, index);

  test("highlights cells, runs them and shows their output", async () => {
    for (const index of [0, 1, 2, 3]) {
      await runCell(index);
      await until(() => prompt(index).textContent(), /\[\d+\]/);
    }
    await until(() => output(0).textContent(), /42/);
    await expect.poll(() => output(1).locator("table tbody tr").count()).toBe(2);
    await expect.poll(() => output(2).locator("svg rect, img").count()).toBeGreaterThan(0);
    await until(() => output(3).textContent(), /Type 'number' is not assignable to type 'string'/);
    await expect.poll(() => cell(0).locator(".cm-content span").count()).toBeGreaterThan(2);
    await picture("run");
  });

  test("shows a figure with tooltips in the theme of the page", async () => {
    await runCell(6);
    await until(() => prompt(6).textContent(), /\[\d+\]/);
    const figure = output(6).frameLocator("iframe");
    await figure.locator("html.live").waitFor({ state: "attached" });
    const tooltip = async () => {
      await hoverAnew(page, figure.locator("[data-mark] rect").first());
      return figure.locator("#tip").innerText();
    };
    await until(tooltip, /Llano Verde[\s\S]*12/);
    await picture("figure");
    const basemap = () => figure.locator("html").evaluate("getComputedStyle(document.documentElement).backgroundColor");
    await expect.poll(basemap).toBe("rgb(255, 255, 255)");
    const menu = (text: string) => page.locator(".lm-Menu-item", { hasText: text });
    await page.locator(".lm-MenuBar-item", { hasText: "Settings" }).click();
    await menu("Theme").first().click();
    await menu("JupyterLab Dark").first().click();
    await expect.poll(basemap).toBe("rgb(21, 25, 29)");
    await picture("figure-dark");
  });

  test("shows the fallback of a figure in an untrusted notebook", async () => {
    const other = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    other.setDefaultTimeout(60_000);
    await other.goto(`${url}/lab/tree/stored.ipynb?reset`);
    const image = other.locator(".jp-OutputArea img");
    await image.waitFor();
    await expect
      .poll(() => other.evaluate<number>(`document.querySelector(".jp-OutputArea img").naturalWidth`))
      .toBeGreaterThan(300);
    expect(await image.getAttribute("alt")).toBe("Stored.");
    expect(await other.locator(".jp-OutputArea iframe").count()).toBe(0);
    await other.screenshot({ path: join(pictures, "untrusted.png") });
    await other.close();
  });

  test("shows an error in colors, and that later cells did not run", async () => {
    const other = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    other.setDefaultTimeout(60_000);
    await other.goto(`${url}/lab/tree/stops.ipynb?reset`);
    await other.getByText("TypeScript (Siteframe) | Idle").waitFor();
    // A second attempt finds the kernel of the first.
    await restartKernel(other);
    await enterLabCell(other, 0);
    await other.locator(".lm-MenuBar-item", { hasText: "Run" }).click();
    await other.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click();
    const error = labCell(other, 1).locator(".jp-OutputArea");
    await until(() => error.textContent(), /depth 5 is below the basemap/);
    const prompts = () => other.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").allTextContents();
    await expect.poll(prompts).toEqual(["[1]:", "[2]:", "[ ]:", "[ ]:"]);
    expect(await error.locator(".ansi-red-fg").allTextContents()).toEqual(["RangeError", "> 2 |", "^"]);
    await other.screenshot({ path: join(pictures, "stops.png") });
    await other.close();
  });

  test("completes", async () => {
    await enterLabCell(page, 5);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nsites.numR");
    // Before Lab has joined its completer to the cell, Tab indents.
    await cell(5).locator(".jp-mod-completer-enabled").waitFor();
    await page.keyboard.press("Tab");
    await page.locator(".jp-Completer-item", { hasText: "numRows" }).waitFor();
    await picture("complete");
    await page.keyboard.press("Enter");
    await until(() => cell(5).locator(".cm-content").textContent(), /sites\.numRows/);
  });

  test("interrupts and keeps variables", async () => {
    await runCell(4);
    await until(() => output(4).textContent(), /turning/);
    await until(() => prompt(4).textContent(), /\[\*\]/);
    await page.locator('[data-command="notebook:interrupt-kernel"], [title*="Interrupt the kernel"]').first().click();
    await until(() => output(4).textContent(), /interrupted/);
    // The error comes before the reply, and requests between them are aborted.
    await until(() => prompt(4).textContent(), /\[6\]/);
    await runCell(0);
    await until(() => prompt(0).textContent(), /\[7\]/);
    await until(() => output(0).textContent(), /42/);
    await picture("interrupted");
  });

  test("restarts", async () => {
    await restartKernel(page);
    await runCell(5);
    await until(() => output(5).textContent(), /Cannot find name 'answer'/);
    await until(() => prompt(5).textContent(), /\[1\]/);
    await picture("restarted");
  });
});
