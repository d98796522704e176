import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ColumnTable, table } from "arquero";
import { type Browser, chromium, type FrameLocator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { show } from "../../src/index.js";
import { toHtml } from "../../src/notebook/page/to-html.js";
import { toMimeBundle } from "../../src/view/to-mime-bundle.js";
import { findBrowser } from "../support/browser.js";

const browserPath = findBrowser();
const hostile = `<img src=x onerror="document.title='run'">]]></script><script>document.title='run'</script>\u2028"'`;
const states = ["PLANNED", "BUILT", null];
const start = Date.UTC(2024, 0, 1);

/** Of row n: its number, one of three states, a loss that nothing has rounded, a day, and a text. */
function park(rows: number): ColumnTable {
  const each = <T>(value: (row: number) => T) => Array.from({ length: rows }, (_, row) => value(row));
  return table({
    n: each((row) => (row * 7) % rows),
    STATUS: each((row) => states[row % 3]),
    LOSS: each((row) => (row % 10 === 0 ? null : 221.3 / (1 + (row % 10)))),
    day: each((row) => new Date(start + (row % 60) * 86_400_000)),
    note: each((row) => (row % 2 === 0 ? `=HYPERLINK("x";${row})` : `plain, ${row}`)),
    [hostile]: each(() => hostile),
  });
}

describe.runIf(browserPath)("a table in a browser", () => {
  let browser: Browser;
  let page: Page;
  let frame: FrameLocator;
  let folder = "";
  let problems: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-table-"));
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    expect(problems).toEqual([]);
    expect(await page.title()).not.toBe("run");
    await page.close();
  });

  /** Opens a value in a notebook page, with that page's policy. */
  async function open(value: unknown, width = 1000): Promise<void> {
    const data = await toMimeBundle(value);
    const output = { output_type: "display_data", data, metadata: {} } as const;
    const cell = { cell_type: "code", metadata: {}, source: "", execution_count: 1, outputs: [output] } as const;
    const file = join(folder, "table.html");
    writeFileSync(file, toHtml({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] }));
    problems = [];
    page = await browser.newPage({ viewport: { width, height: 800 } });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!/^(file|about|blob):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(`file://${file}`);
    frame = page.frameLocator("iframe");
    await frame.locator("html.live").waitFor();
  }

  const head = (name: string) => frame.locator("th", { has: frame.locator(`.name[title="${name}"]`) });
  const cells = () => frame.locator("tbody tr:not(.space) td");
  const count = () => frame.locator("#count");
  const column = async (index: number, rows: number): Promise<readonly string[]> => {
    const texts = await frame.locator(`tbody tr:not(.space) td:nth-child(${index})`).allTextContents();
    return texts.slice(0, rows);
  };
  const focused = () => frame.locator("td:focus, th:focus").textContent();

  test("sorts upwards, downwards and not, what is null last, equal rows as they came", async () => {
    await open(park(100));
    await head("LOSS").locator(".name").click();
    expect(await column(3, 2)).toEqual(["22.13", "22.13"]);
    expect(await column(1, 3)).toEqual(["63", "33", "3"]);
    expect(await head("LOSS").getAttribute("aria-sort")).toBe("ascending");
    await head("LOSS").locator(".name").click();
    expect(await column(3, 1)).toEqual(["110.65"]);
    await cells().first().press("Control+End");
    expect(await frame.locator("tbody tr[aria-rowindex='101'] td:nth-child(3)").textContent()).toBe("null");
    await head("LOSS").locator(".name").click();
    expect(await column(1, 3)).toEqual(["0", "7", "14"]);
  });

  test("texts are sorted as people do, numbers in them by their size", async () => {
    await open(table({ t: ["b10", "b9", null, "a", "B1", "c", "d", "e", "f", "g", "h"] }));
    await head("t").locator(".name").click();
    expect(await column(1, 4)).toEqual(["a", "B1", "b9", "b10"]);
  });

  test("filters by words in a column, by comparisons, and in all columns", async () => {
    await open(park(100));
    await head("STATUS").locator("input").fill("buil");
    await expect.poll(() => count().textContent()).toMatch(/^33 of the 100 rows here/);
    await head("n").locator("input").fill("< 10");
    await expect.poll(() => count().textContent()).toMatch(/^3 of the 100 rows here/);
    expect((await column(1, 9)).every((text) => Number(text) < 10)).toBe(true);
    await head("STATUS").locator("input").fill("");
    await head("n").locator("input").fill("");
    await head("day").locator("input").fill(">= 2024-02-28");
    await expect.poll(() => count().textContent()).toMatch(/^2 of the 100 rows here/);
    await head("day").locator("input").fill("");
    await frame.locator("#find").fill("plain BUILT");
    await expect.poll(() => count().textContent()).toMatch(/^17 of the 100 rows here/);
  });

  test("filters by a bar, by a value and by what is null; a chip takes the filter back", async () => {
    await open(park(100));
    const bar = head("n").locator(".bars button").nth(1);
    expect(await bar.getAttribute("title")).toBe("5 – 10: 5 of 100 rows");
    await bar.click();
    expect([...(await column(1, 9))].sort()).toEqual(["5", "6", "7", "8", "9"]);
    expect(await bar.getAttribute("aria-pressed")).toBe("true");
    await frame.locator("#filters button").click();
    await head("STATUS").locator(".top button").first().click();
    expect(new Set(await column(2, 9))).toEqual(new Set(["PLANNED"]));
    expect(await count().textContent()).toMatch(/^34 of/);
    await head("STATUS").locator(".top button").first().click();
    await head("LOSS").locator("small button").click();
    expect(new Set(await column(3, 9))).toEqual(new Set(["null"]));
    expect(await count().textContent()).toMatch(/^10 of/);
  });

  test("the keyboard goes to every cell, and only rows in view are in the page", async () => {
    await open(show(park(5000), { rows: 5000 }));
    await cells().first().click();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("BUILT");
    await page.keyboard.press("Control+End");
    expect(await focused()).toBe(hostile);
    expect(await frame.locator("tr:has(:focus)").getAttribute("aria-rowindex")).toBe("5001");
    expect(await frame.locator("tbody tr").count()).toBeLessThan(60);
    await page.keyboard.press("PageUp");
    const place = Number(await frame.locator("tr:has(:focus)").getAttribute("aria-rowindex"));
    expect(place).toBeLessThan(5001);
    expect(place).toBeGreaterThan(4970);
    await page.keyboard.press("Control+Home");
    expect(await focused()).toBe("0");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await head("n").getAttribute("aria-sort")).toBe("ascending");
    await page.keyboard.press("Alt+ArrowRight");
    expect(await frame.locator("th .name").first().getAttribute("title")).toBe("STATUS");
    expect(await frame.locator("#said").textContent()).toBe("n is column 2 of 6");
  });

  test("copies a cell in full, and a selection in which no text is a formula", async () => {
    await open(park(100));
    const paste = async () => {
      await page.evaluate("document.body.append(document.createElement('textarea'))");
      await page.locator("textarea").last().focus();
      await page.keyboard.press("Control+V");
      return page.locator("textarea").last().inputValue();
    };
    await frame.locator("tbody tr[aria-rowindex='4'] td").nth(2).click();
    await page.keyboard.press("Control+C");
    expect(await paste()).toBe(String(221.3 / 3));
    await frame.locator("tbody tr[aria-rowindex='4'] td").nth(3).click();
    await frame
      .locator("tbody tr[aria-rowindex='5'] td")
      .nth(4)
      .click({ modifiers: ["Shift"] });
    expect(await frame.locator("td[aria-selected=true]").count()).toBe(4);
    await frame.locator("#copy").click();
    expect(await paste()).toBe('2024-01-03T00:00:00.000Z\t"\'=HYPERLINK(""x"";2)"\n2024-01-04T00:00:00.000Z\tplain, 3');
  });

  test("gives what is filtered as CSV, as toCSV() writes it", async () => {
    await open(park(100));
    await head("n").locator("input").fill("<= 7");
    await expect.poll(() => count().textContent()).toMatch(/^8 of/);
    await frame.locator("#choose").click();
    await frame.locator("#chooser").getByText("STATUS").click();
    await frame.locator("#chooser div", { hasText: "<img" }).locator("input").click();
    const [download] = await Promise.all([page.waitForEvent("download"), frame.locator("#save").click()]);
    expect(download.suggestedFilename()).toBe("table.csv");
    const lines = readFileSync(await download.path(), "utf8").split("\r\n");
    expect(lines).toHaveLength(10);
    expect(lines.slice(0, 3)).toEqual([
      "n,LOSS,day,note",
      `0,,2024-01-01T00:00:00.000Z,"'=HYPERLINK(""x"";0)"`,
      `7,110.65,2024-01-02T00:00:00.000Z,"plain, 1"`,
    ]);
  });

  test("columns are chosen and put into another order", async () => {
    await open(park(100));
    const names = () => frame.locator("th .name").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
    await frame.locator("#choose").click();
    await frame.locator("#chooser").getByText("LOSS").click();
    await frame.locator("#chooser div", { hasText: "day" }).getByTitle("to the left").click();
    expect(await names()).toEqual(["n", "day", "STATUS", "note", hostile]);
    await frame.locator("#chooser").getByText("LOSS").click();
    expect(await names()).toEqual(["n", "day", "STATUS", "note", hostile, "LOSS"]);
    await page.keyboard.press("Escape");
    expect(await frame.locator("#chooser").isVisible()).toBe(false);
    await frame.locator(`th .name[title="note"]`).dragTo(frame.locator(`th .name[title="n"]`));
    expect(await names()).toEqual(["note", "n", "day", "STATUS", hostile, "LOSS"]);
  });

  test("names and values full of markup read as text", async () => {
    await open(park(100));
    expect(await frame.locator("th .name").last().textContent()).toBe(hostile);
    expect(await cells().nth(5).textContent()).toBe(hostile);
    await frame.locator(".top button").last().click();
    expect(await frame.locator("#filters").textContent()).toContain(hostile);
    expect(await frame.locator("img").count()).toBe(0);
  });

  test("says what is not here", async () => {
    await open(show(park(2500), { columns: ["STATUS", "n"] }));
    expect(await count().textContent()).toBe(
      "2,500 rows, of which the first 1,000 are here · 6 columns, 2 of them here · summaries of all rows",
    );
    expect(await head("n").locator("small").last().textContent()).toBe("02499");
  });

  test("does not make a narrow page wider", async () => {
    await open(park(100), 400);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    const box = await frame.locator("body").evaluate((body) => [body.scrollWidth, body.clientWidth]);
    expect(box[0]).toBe(box[1]);
  });

  test("in print the still stands", async () => {
    await open(park(100));
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("iframe").isVisible()).toBe(false);
    expect(await page.locator(".siteframe-table tbody tr").count()).toBe(50);
  });
});
