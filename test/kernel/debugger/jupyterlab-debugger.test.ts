import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../../support/browser.js";
import { labOfNotebooks } from "../../support/lab-of-notebooks.js";
import { openBrowser } from "../../support/open-browser.js";
import { findPython, type Python } from "../../support/python.js";
import { labCell, runLabCell } from "../../support/run-lab-cell.js";
import type { Lab } from "../../support/start-lab.js";

const browserPath = findBrowser();
const python = findPython("jupyterlab");
const pictures = join(import.meta.dirname, "../../../out/jupyterlab");

const cells = [
  'const sites = aq.table({ site: ["Llano Verde", "Sandbank"], tickets: [12, 7] });\nconst limit: number = 10;',
  "function excess(tickets: number): number {\n  const over = tickets - limit;\n  return Math.max(0, over);\n}\nlet sum = 0;\nfor (const tickets of sites.array('tickets')) {\n  sum += excess(Number(tickets));\n}\nsum",
];

describe.runIf(python && browserPath)("JupyterLab's debugger", () => {
  let lab: Lab;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    lab = await labOfNotebooks(python as Python, { notebooks: { tour: cells } });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${lab.url}/lab/tree/tour.ipynb?reset`);
    await page.waitForSelector(".jp-Notebook .jp-CodeCell");
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
  });

  const cell = (index: number) => labCell(page, index);
  const prompt = (index: number) => cell(index).locator(".jp-InputPrompt");
  const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`) });
  const callstack = page_(".jp-DebuggerCallstack-body");
  const variables = page_(".jp-DebuggerVariables-body");
  const until = (read: () => Promise<string | null>, expected: RegExp) =>
    expect.poll(async () => (await read()) ?? "").toMatch(expected);

  function page_(selector: string): () => Promise<string> {
    return async () => (await page.locator(selector).allInnerTexts()).join("\n");
  }

  const runCell = (index: number) => runLabCell(page, index);

  test("stops in a cell, shows where it is and what is there, steps and goes on", async () => {
    await runCell(0);
    await until(() => prompt(0).textContent(), /\[1\]/);
    await page.locator(".jp-DebuggerBugButton").first().click();
    await cell(1).locator(".cm-gutter.cm-breakpoint-gutter").waitFor();
    await cell(1).locator(".cm-gutter.cm-breakpoint-gutter .cm-gutterElement").nth(3).click();
    await until(page_(".jp-DebuggerBreakpoints-body"), /3/);
    await runCell(1);
    await until(callstack, /excess/);
    await until(variables, /over[\s\S]*2/);
    await until(() => prompt(1).textContent(), /\[\*\]/);
    await until(() => cell(1).locator(".jp-DebuggerEditor-highlight").textContent(), /return Math\.max\(0, over\)/);
    await picture("debugger-stopped");

    await page.locator('[data-command="debugger:stepOut"]').first().click();
    await until(() => cell(1).locator(".jp-DebuggerEditor-highlight").textContent(), /for|sum \+=/);
    await until(variables, /tickets/);
    await picture("debugger-stepped");
    await page.locator('[data-command="debugger:continue"]').first().click();
    await until(variables, /over[\s\S]*-3/);
    await page.locator('[data-command="debugger:continue"]').first().click();
    await until(() => cell(1).locator(".jp-OutputArea").textContent(), /2/);
    await until(() => prompt(1).textContent(), /\[2\]/);
    await picture("debugger-ended");
  }, 240_000);
});
