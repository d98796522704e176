import { mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installLabExtension } from "../../../src/kernel/install/lab-extension.js";
import { findBrowser } from "../../support/browser.js";
import { labOfNotebooks } from "../../support/lab-of-notebooks.js";
import { openBrowser } from "../../support/open-browser.js";
import { findPython } from "../../support/python.js";
import { restartKernel } from "../../support/restart-kernel.js";
import { enterLabCell, labCell, runLabCell } from "../../support/run-lab-cell.js";
import { type SampleService, startSampleService } from "../../support/sample-service.js";
import type { Lab } from "../../support/start-lab.js";

const browserPath = findBrowser();
const python = findPython("jupyterlab, anywidget, quak");
const pictures = join(import.meta.dirname, "../../out/widgets");

const counter = `import { widget } from "siteframe/widget";
const counter = widget({
  esm: \`export default {
    render({ model, el }) {
      const button = document.createElement("button");
      const tell = () => (button.textContent = "count " + model.get("count"));
      const sum = document.createElement("output");
      button.addEventListener("click", () => {
        model.set("count", model.get("count") + 1);
        model.save_changes();
        model.send({ add: 1 }, undefined, [Uint8Array.of(20, 3).buffer]);
      });
      model.on("change:count", tell);
      model.on("msg:custom", (message, [bytes]) => (sum.textContent = message.sum + " " + bytes.getUint8(0)));
      tell();
      el.append(button, sum);
    },
  };\`,
  css: "output { margin-left: 1em; }",
  state: { count: 0 },
  fallback: "a counter",
});
counter.onChange(({ count }) => { if (count === 2) counter.set({ count: 20 }); });
counter.onMessage((message, [bytes]) => {
  const sum = [...(bytes ?? [])].reduce((total, byte) => total + byte, 0);
  counter.send({ sum }, [Uint8Array.of(sum)]);
});
counter`;

const slider = `import { layerMap } from "siteframe/plot";
import { dateInput, select, slider } from "siteframe/widget";
const source = connect();
const panels = await source.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" });
const history = await panels.history();
const dates = ["2023-06-30", "2023-12-31", "2024-06-30", "2024-12-31"];
slider({ dates }, (date) => layerMap(history.asOf(date), "STATUS", { title: \`Panels on \${date}\` }))`;

const others = `display(select({ options: ["solar", "<img src=x onerror=alert(1)>", "road"], label: "Basemap" }, (basemap) => {
  if (basemap === "road") throw new Error("no roads here");
  return html\`<p class="picked">\${basemap}</p>\${html('<img src="x:" onerror="document.title = 7"><script>document.title = 8</' + 'script>')}\`;
}));
dateInput({ value: "2024-01-31", min: "2023-01-01" }, (date) => date.slice(0, 7))`;

const tables = `import { slider as numbers } from "siteframe/widget";
numbers({ min: 1, max: 3, label: "Table" }, (n) =>
  aq.table({ text: Array.from({ length: 5000 }, (_, row) => \`row \${row} of \${n}\`) }))`;

const linked = [
  `import { Plot, plot } from "siteframe/plot";
import { linkViews } from "siteframe/widget";
const tickets = await connect().layer({ site_id: 101, semantic_type: "PUNCH_LIST_ITEMS" });
const bars = Plot.barX(tickets.table, Plot.groupY({ x: "count" }, { y: "STATUS", tip: true }));
const both = linkViews({ status: plot({ marks: [bars], marginLeft: 100 }), table: tickets });
both.views.status`,
  "both.views.table",
  '"ids: " + both.ids + ", rows: " + both.table.numRows()',
  "linkViews({ status: plot({ marks: [bars], marginLeft: 100 }), table: tickets }, ({ ids }) => html(`<p class=chosen>` + ids.length + ` chosen</p>`))",
];

/** The adapter in the documentation. */
const [, quak = ""] = /^```typescript\n(.*?)^```/ms.exec(readFileSync("docs/how-to/custom-widgets.md", "utf8")) ?? [];

describe.runIf(python && browserPath)("widgets in JupyterLab", () => {
  let service: SampleService;
  let browser: Browser;
  let lab: Lab;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    service = await startSampleService();
    if (!python) return;
    installLabExtension({ type: "prefix", prefix: join(String(python.env["JUPYTER_PATH"]), "../..") });
    const path = [dirname(python.program), process.env["PATH"]].join(delimiter);
    const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey, PATH: path };
    const notebooks = {
      widgets: [counter, "counter.state.count", slider, others, tables],
      quak: [quak, "quak.state.sql"],
      linked,
    };
    lab = await labOfNotebooks(python, { notebooks, env });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1200, height: 1300 }, colorScheme: null });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const { url } = message.location();
      // JupyterLab has no language servers here.
      if (message.type() === "error" && !url.includes("/lsp/")) complaints.push(`${message.text()} at ${url}`);
    });
    await open(`${lab.url}/lab/tree/widgets.ipynb?reset`);
  });

  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    await service?.close();
  });

  const cell = (index: number) => labCell(page, index);
  const output = (index: number) => cell(index).locator(".jp-OutputArea");
  const textOf = (index: number) => output(index).locator(".jp-OutputArea-output").first().textContent();
  const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`) });
  const until = (read: () => Promise<string | null>, expected: RegExp) =>
    expect.poll(async () => (await read()) ?? "").toMatch(expected);

  async function open(url: string): Promise<void> {
    await page.goto(url);
    await page.waitForSelector(".jp-Notebook .jp-CodeCell");
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
  }

  async function runCell(index: number): Promise<void> {
    await runLabCell(page, index);
    await until(() => cell(index).locator(".jp-InputPrompt").textContent(), /\[\d+\]/);
  }

  test("a counter of anywidget sends and receives messages and bytes", async () => {
    await runCell(0);
    const button = output(0).locator("button");
    await until(() => button.textContent(), /count 0/);
    await button.click();
    await until(() => button.textContent(), /count 1/);
    await until(() => output(0).locator("output").textContent(), /^23 23$/);
    await button.click();
    await until(() => button.textContent(), /count 20/);
    await runCell(1);
    await until(() => textOf(1), /^20$/);
    expect(complaints).toEqual([]);
  });

  test("a slider draws the map of its date, also with keys", async () => {
    await runCell(2);
    const range = output(2).locator("input[type=range]");
    const map = output(2).frameLocator("iframe");
    await map.locator("html.live").waitFor({ state: "attached" });
    await until(() => output(2).locator("img").getAttribute("alt"), /2024-12-31/);
    await picture("slider");
    await range.focus();
    await page.keyboard.press("Home");
    await until(() => output(2).locator(".siteframe-control-value").textContent(), /2023-06-30/);
    await until(() => output(2).locator("img").getAttribute("alt"), /2023-06-30/);
    await map.locator("html.live").waitFor({ state: "attached" });
    await until(() => range.getAttribute("aria-valuetext"), /^2023-06-30$/);
    expect(await output(2).getByLabel("Date").count()).toBe(1);
    // After a click, keys are still commands of the notebook: next cell, new cell, delete cell.
    await range.click({ position: { x: 8, y: 8 } });
    for (const key of ["ArrowRight", "ArrowDown", "ArrowUp", "b", "d", "d"]) await page.keyboard.press(key);
    await until(() => range.getAttribute("aria-valuetext"), /^2023-12-31$/);
    await until(() => output(2).locator("img").getAttribute("alt"), /2023-12-31/);
    expect(await page.locator(".jp-Notebook .jp-CodeCell").count()).toBe(5);
    expect(await cell(2).evaluate((node) => node.classList.contains("jp-mod-active"))).toBe(true);
    await range.press("Home");
    await until(() => output(2).locator("img").getAttribute("alt"), /2023-06-30/);
    await picture("slider-first");
    expect(complaints).toEqual([]);
  });

  test("a list shows errors, and runs no scripts of its outputs", async () => {
    await runCell(3);
    const list = output(3).locator("select");
    await until(() => output(3).locator(".picked").textContent(), /solar/);
    await list.selectOption({ index: 1 });
    await until(() => output(3).locator(".picked").textContent(), /<img src=x/);
    await list.selectOption("2");
    await until(() => output(3).locator("pre.error").textContent(), /Error: no roads here[\s\S]*Cell \d+/);
    expect(await page.title()).not.toMatch(/^[78]/);
    const date = output(3).locator("input[type=date]");
    await date.fill("2024-02-29");
    await until(() => output(3).locator(".siteframe-control-output").nth(1).textContent(), /2024-02/);
    await picture("others");
    expect(complaints.filter((text) => !text.includes("x:"))).toEqual([]);
  });

  test("a table below a slider gets its rows from the kernel", async () => {
    complaints.length = 0;
    await runCell(4);
    const table = output(4).frameLocator("iframe");
    const last = async () => {
      await table.locator("#scroll").evaluate((node) => node.scrollTo(0, node.scrollHeight));
      return table.locator("#grid").innerText();
    };
    await until(last, /row 4999 of 1\b/);
    const range = output(4).locator("input[type=range]");
    await range.press("ArrowRight");
    await until(last, /row 4999 of 2\b/);
    await table.getByRole("searchbox").fill("row 4321 of 2");
    await until(() => table.locator("#count").innerText(), /^1 of the 5,000 rows/);
    await picture("slider-table");
    expect(complaints).toEqual([]);
  });

  test("widgets stay after the page is reloaded", async () => {
    // Out of the frame, which keeps its keys.
    await enterLabCell(page, 1);
    const saved = page.waitForResponse(
      (response) => response.request().method() === "PUT" && response.url().includes("/api/contents/widgets.ipynb"),
    );
    await page.keyboard.press("Control+s");
    await saved;
    await open(`${lab.url}/lab/tree/widgets.ipynb`);
    const button = output(0).locator("button");
    await until(() => button.textContent(), /count 20/);
    await button.click();
    await until(() => button.textContent(), /count 21/);
    await until(() => output(2).locator(".siteframe-control-value").textContent(), /2023-06-30/);
    await output(2).locator("input[type=range]").focus();
    await page.keyboard.press("End");
    await until(() => output(2).locator("img").getAttribute("alt"), /2024-12-31/);
    await picture("again");
  });

  test("a control is disabled after its kernel has restarted", async () => {
    complaints.length = 0;
    const range = output(2).locator("input[type=range]");
    expect(await range.isDisabled()).toBe(false);
    await restartKernel(page);
    await expect.poll(() => range.isDisabled()).toBe(true);
    await until(() => output(2).getByRole("status").textContent(), /^Run the cell to use it\.$/);
    await picture("restarted");
    expect(complaints).toEqual([]);
  });

  test("a notebook that is opened again shows the fallback of each widget", async () => {
    complaints.length = 0;
    await open(`${lab.url}/lab/tree/widgets.ipynb?reset`);
    await output(2).frameLocator("iframe").locator("html.live").waitFor({ state: "attached" });
    await until(() => output(0).textContent(), /'a counter'\s*Static view: run the cell to use it\./);
    await until(() => output(2).locator("img").getAttribute("alt"), /202\d-\d\d-\d\d/);
    expect(await page.getByText("model not found").count()).toBe(0);
    await picture("opened-again");
    // The widget replaces its fallback.
    await runCell(0);
    await until(() => output(0).locator("button").textContent(), /count 0/);
    expect(await output(0).textContent()).not.toContain("Static view");
  });

  test("views of several cells are linked, and return the selection to the kernel", async () => {
    complaints.length = 0;
    await open(`${lab.url}/lab/tree/linked.ipynb?reset`);
    for (const index of [0, 1]) {
      await runCell(index);
      await output(index).frameLocator("iframe").locator("html.live").waitFor({ state: "attached" });
    }
    const table = output(1).frameLocator("iframe");
    await table.locator("tbody td", { hasText: /^PL-0002$/ }).click();
    const faded = output(0).frameLocator("iframe").locator('[data-mark] rect[style*="0.25"]');
    await expect.poll(() => faded.count()).toBe(4);
    await enterLabCell(page, 2);
    // The kernel gets the selection after the other frame.
    const selected = async () => {
      await runCell(2);
      return (await textOf(2)) ?? "";
    };
    await expect.poll(selected, { interval: 500 }).toMatch(/ids: \d+, rows: 1/);
    await picture("linked");
    await runCell(3);
    const [bar, grid] = [0, 1].map((place) => output(3).frameLocator("iframe").nth(place));
    await grid?.locator("html.live").waitFor({ state: "attached" });
    await until(() => output(3).locator(".chosen").textContent(), /^0 chosen$/);
    await bar?.locator("[data-mark] rect").first().click();
    await until(() => output(3).locator(".chosen").textContent(), /^\d{2,} chosen$/);
    await picture("linked-run");
    expect(complaints).toEqual([]);
  });

  test("quak shows an Arquero table through DuckDB", async () => {
    complaints.length = 0;
    await open(`${lab.url}/lab/tree/quak.ipynb?reset`);
    await runCell(0);
    const rows = output(0).locator("tbody tr");
    await until(() => rows.first().innerText(), /100,397\s+PL-0001\s+CLOSED\s+2023-04-17T15:07:32\.723/);
    await expect.poll(() => rows.count()).toBeGreaterThan(20);
    await expect.poll(() => output(0).locator("thead svg rect").count()).toBeGreaterThan(20);
    await rows.nth(12).scrollIntoViewIfNeeded();
    await picture("quak");
    expect(complaints).toEqual([]);
  });

  test.each([
    ["neither", ["@jupyter-widgets/jupyterlab-manager", "anywidget:plugin"]],
    ["ipywidgets", ["anywidget:plugin"]],
  ])("a page without anywidget shows the fallback of a widget, with a note: %s", async (name, without) => {
    if (!python) return;
    const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
    const plain = await labOfNotebooks(python, { notebooks: { plain: [counter, slider] }, env, without });
    await open(`${plain.url}/lab/tree/plain.ipynb?reset`);
    for (const index of [0, 1]) await runCell(index);
    await until(() => textOf(0), /^\s*'a counter'\s*Static view: .*\(pip install anywidget\)\.\s*$/);
    await output(1).frameLocator("iframe").locator("html.live").waitFor({ state: "attached" });
    await until(() => output(1).textContent(), /Date: 2024-12-31[\s\S]*Static view: /);
    await until(() => output(1).locator("img").getAttribute("alt"), /2024-12-31/);
    await picture(`without-${name}`);
    await plain.stop();
  });
});
