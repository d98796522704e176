import { text } from "node:stream/consumers";
import { type ColumnTable, table } from "arquero";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { aq } from "../../../src/arquero.js";
import { show } from "../../../src/index.js";
import { arqueroView } from "../../../src/tables/display/html/table-view.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { tableBundle } from "../../../src/tables/display/table-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { openBrowser } from "../../support/open-browser.js";
import { openOutput } from "../../tables/display/open-output.js";

const browserPath = findBrowser();
const hostile = `<img src=x onerror="document.title='run'">]]></script><script>document.title='run'</script>\u2028"'`;
const states = ["PLANNED", "BUILT", null];
const start = Date.UTC(2024, 0, 1);

/** Rows with a number, one of three states, an unrounded loss, a day, and strings. */
function park(rows: number): ColumnTable {
  const each = <T>(value: (row: number) => T) => Array.from({ length: rows }, (_, row) => value(row));
  return table({
    n: each((row) => (row * 7) % rows),
    STATUS: each((row) => states[row % 3]),
    LOSS: each((row) => (row % 10 === 0 ? null : 221.3 / (1 + (row % 10)))),
    day: each((row) => new Date(start + (row % 60) * 86_400_000)),
    note: each((row) => (row % 2 === 0 ? `=HYPERLINK("x";${row})` : `plain, ${row}`)),
    [hostile]: each((row) => (row % 50 === 7 ? "harmless" : hostile)),
  });
}

/** Strings in an element with less than a minimum contrast by WCAG. */
function faintTexts(element: Locator, least: number): Promise<readonly string[]> {
  return element.evaluate((root, wanted) => {
    const view = root.ownerDocument.defaultView;
    const canvas = root.ownerDocument.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (!canvas || !view) throw new Error("no canvas");
    /** The RGB values of layers of colors. */
    const mixed = (layers: readonly (readonly [colour: string, opacity: number])[]) => {
      for (const [colour, opacity] of layers) {
        canvas.globalAlpha = opacity;
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (parts: readonly number[]) => {
      const [r = 0, g = 0, b = 0] = parts.map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint: string[] = [];
    for (const each of root.querySelectorAll("*")) {
      const words = [...each.childNodes].filter(({ nodeType }) => nodeType === 3);
      const text = words.map(({ textContent }) => textContent?.trim()).join("");
      if (text === "" || each.tagName === "STYLE" || !each.checkVisibility({ visibilityProperty: true })) continue;
      const basemaps: [string, number][] = [];
      let opacity = 1;
      for (let up: typeof each | null = each; up; up = up.parentElement) {
        const style = view.getComputedStyle(up);
        basemaps.unshift([style.backgroundColor, 1]);
        opacity *= Number(style.opacity);
      }
      basemaps.unshift(["Canvas", 1]);
      const [basemap, ink] = [
        light(mixed(basemaps)),
        light(mixed([...basemaps, [view.getComputedStyle(each).color, opacity]])),
      ];
      const contrast = (Math.max(basemap, ink) + 0.05) / (Math.min(basemap, ink) + 0.05);
      if (contrast < wanted) faint.push(`${text}: ${contrast.toFixed(2)}`);
    }
    return faint;
  }, least);
}

describe.runIf(browserPath)("a table in a browser", () => {
  let browser: Browser;
  let page: Page;
  let frame: FrameLocator;
  const folder = temporaryFolder();
  let problems: readonly string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  afterEach(async () => {
    expect(problems).toEqual([]);
    expect(await page.title()).not.toBe("run");
    await page.close();
  });

  async function open(value: unknown, width = 1000): Promise<void> {
    ({ page, frame, problems } = await openOutput(browser, value, { folder, width }));
  }

  const head = (name: string) => frame.locator("th", { has: frame.locator(`.name[title="${name}"]`) });
  const cells = () => frame.locator("tbody tr:not(.space) td");
  const count = () => frame.locator("#count");
  const column = async (index: number, rows: number): Promise<readonly string[]> => {
    const texts = await frame.locator(`tbody tr:not(.space) td:nth-child(${index})`).allTextContents();
    return texts.slice(0, rows);
  };
  const focused = () => frame.locator("td:focus, th:focus").textContent();
  /** The clipboard. Repeat it: browsers copy asynchronously. */
  const paste = async () => {
    await page.evaluate("document.body.append(document.createElement('textarea'))");
    await page.locator("textarea").last().focus();
    await page.keyboard.press("Control+V");
    return page.locator("textarea").last().inputValue();
  };

  test("sorts in ascending, descending and original order, with nulls last, and is stable", async () => {
    await open(park(100));
    await head("LOSS").locator(".name").click();
    expect(await column(3, 2)).toEqual(["22.13", "22.13"]);
    expect(await column(1, 3)).toEqual(["63", "33", "3"]);
    expect(await head("LOSS").getAttribute("aria-sort")).toBe("ascending");
    await head("LOSS").locator(".name").click();
    expect(await column(3, 1)).toEqual(["110.65"]);
    await cells().first().press("Control+End");
    expect(await frame.locator("tbody tr[aria-rowindex='101'] td:nth-child(3)").textContent()).toBe("–");
    await head("LOSS").locator(".name").click();
    expect(await column(1, 3)).toEqual(["0", "7", "14"]);
  });

  test("shows range or single value in the head of a column", async () => {
    const code = Array.from({ length: 12 }, (_, row) => 100_001 + (row % 3));
    const day = code.map(() => new Date(start));
    const level = code.map((one) => one - 100_000);
    await open(table({ code, level, loss: code.map((one) => one / 7), seen: code.map(() => true), id: code, day }));
    const words = (name: string) => head(name).locator("small:not(.type) span").allTextContents();
    expect(await words("code")).toEqual(["100001", "100003"]);
    expect(await words("id")).toEqual(["100001", "100003"]);
    expect(await words("day")).toEqual(["2024-01-01"]);
    expect(await words("loss")).toEqual(["14,286", "14,286"]);
    expect(await words("seen")).toEqual(["1 value"]);
    expect(await head("level").locator(".bars button").first().getAttribute("title")).toBe("= 1: 4 of 12 rows");
    expect(await frame.locator("th", { has: frame.locator(".bars button") }).count()).toBe(2);
  });

  test("has the widths and heights of its fallback", async () => {
    for (const [rows, width] of [
      [300, 1000],
      [12, 400],
    ] as const) {
      const view = { ...arqueroView(park(rows)), caption: "Panels of a site" };
      await open({ [displaySymbol]: () => tableBundle(view) }, width);
      for (const [still, live] of [
        [".scroll", "#scroll"],
        [".scroll th:nth-child(4)", "#grid th:nth-child(4)"],
        [".scroll tr:nth-child(3) td:nth-child(2)", "#grid tbody tr:nth-child(4) td:nth-child(2)"],
      ] as const) {
        const boxes = await Promise.all([page.locator(still).boundingBox(), frame.locator(live).boundingBox()]);
        const [fallback, table] = boxes.map((box) => [box?.x, box?.y, box?.width, box?.height]);
        for (const [index, value] of (fallback ?? []).entries())
          expect(Math.abs(Number(value) - Number(table?.[index])), `${live} of ${rows} rows`).toBeLessThan(2);
      }
      if (rows === 300) await page.close();
    }
  });

  test("shows whole words on the bars of frequent values, or none", async () => {
    await open(table({ size: Array.from({ length: 40 }, (_, row) => (row < 36 ? "SMALL" : "ENORMOUS")) }));
    const isShown = (text: string) =>
      head("size")
        .locator(".top button", { hasText: text })
        .evaluate((button) => {
          const range = button.ownerDocument.createRange();
          range.selectNodeContents(button);
          const last = [...range.getClientRects()].at(-1);
          return last !== undefined && last.top < button.getBoundingClientRect().bottom;
        });
    expect([await isShown("SMALL"), await isShown("ENORMOUS")]).toEqual([true, false]);
    expect(await head("size").locator(".top button").last().getAttribute("title")).toBe("ENORMOUS: 4 of 40 rows");
  });

  test("writes numbers and dates of reports in their language", async () => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    vi.stubEnv("SITEFRAME_LOCALE", "de");
    await open(
      table({ n: Array.from({ length: 20 }, () => 12_345.5), day: Array.from({ length: 20 }, () => new Date(start)) }),
    );
    vi.unstubAllEnvs();
    expect(await column(1, 1)).toEqual(["12.345,5"]);
    expect(await column(2, 1)).toEqual(["1. Jan. 2024"]);
  });

  test("sorts strings in natural order", async () => {
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

  test("filters by a bar, by a value and by null; a chip removes the filter", async () => {
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
    expect(new Set(await column(3, 9))).toEqual(new Set(["–"]));
    expect(await count().textContent()).toMatch(/^10 of/);
  });

  test("shows the remaining shares in bars and values of other columns", async () => {
    await open(park(100));
    /** The remaining percentage and the tooltip of each bar or value. */
    const left = (name: string) =>
      head(name)
        .locator(":is(.bars, .top) > *")
        .evaluateAll((parts) =>
          parts.map((part) => {
            const [, share = ""] = /--left: *([^;]*)/.exec(part.getAttribute("style") ?? "") ?? [];
            return [share, part.getAttribute("title")];
          }),
        );
    const before = await left("n");
    expect(before[0]).toEqual(["", "0 – 5: 5 of 100 rows"]);
    await head("STATUS").locator(".top button").first().click();
    // Row r has n = 7 r mod 100 and is planned if 3 divides r.
    const planned = Array.from({ length: 100 }, (_, row) => row).filter((row) => row % 3 === 0);
    const expected = before.map(([, title], bar) => {
      const count = planned.filter((row) => Math.floor(((row * 7) % 100) / 5) === bar).length;
      return [`${(100 * count) / 5}%`, `${title}, ${count} of them left`];
    });
    expect(await left("n")).toEqual(expected);
    // The filter of a column does not change its own shares.
    expect((await left("STATUS")).map(([share]) => share)).toEqual(["100%", "100%"]);
    await head("n").locator(".bars button").nth(1).click();
    expect(await left("n")).toEqual(expected);
    const [first] = await left("STATUS");
    const both = planned.filter((row) => Math.floor(((row * 7) % 100) / 5) === 1).length;
    expect(first?.[1]).toBe(`PLANNED: 34 of 100 rows, ${both} of them left`);
    await frame.locator("#find").fill("nothing is called so");
    await expect.poll(async () => (await left("n")).every(([share]) => share === "0%")).toBe(true);
    await frame.locator("#grid tfoot button").click();
    expect(await left("n")).toEqual(before);
  });

  test("shows the remaining shares of the embedded rows", async () => {
    await open(park(2500));
    await head("STATUS").locator(".top button").first().click();
    const title = await head("n").locator(".bars button").first().getAttribute("title");
    const here = Array.from({ length: 1000 }, (_, row) => row).filter((row) => (row * 7) % 2500 < 200);
    expect(title).toBe(
      `0 – 200: 200 of 2,500 rows, ${here.filter((row) => row % 3 === 0).length} of the ${here.length} here left`,
    );
  });

  test("moves to every cell by keyboard, and renders only visible rows", async () => {
    await open(show(park(5000), { limit: 5000 }));
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

  test("can be reached by keyboard after its focused cell is filtered or scrolled away", async () => {
    await open(show(park(5000), { limit: 5000 }));
    const reached = () =>
      frame.locator("[tabindex='0']:is(th, td)").evaluateAll((all) => all.map((one) => one.tagName));
    expect(await reached()).toEqual(["TD"]);
    await frame.locator("#scroll").evaluate((box) => box.scrollTo(0, 60_000));
    await expect.poll(reached).toEqual(["TH"]);
    await frame.locator("#find").fill("nothing is called so");
    await expect.poll(() => frame.locator("#count").textContent()).toMatch(/^0 of /);
    expect(await reached()).toEqual(["TH"]);
  });

  test("copies a cell in full, and a selection without formulas", async () => {
    await open(park(100));
    await frame.locator("tbody tr[aria-rowindex='4'] td").nth(2).click();
    await page.keyboard.press("Control+C");
    await expect.poll(paste).toBe(String(221.3 / 3));
    await frame.locator("tbody tr[aria-rowindex='4'] td").nth(3).click();
    await frame
      .locator("tbody tr[aria-rowindex='5'] td")
      .nth(4)
      .click({ modifiers: ["Shift"] });
    expect(await frame.locator("td[aria-selected=true]").count()).toBe(4);
    await frame.locator("#copy").click();
    await expect
      .poll(paste)
      .toBe('2024-01-03T00:00:00.000Z\t"\'=HYPERLINK(""x"";2)"\n2024-01-04T00:00:00.000Z\tplain, 3');
  });

  test("saves filtered rows as CSV, like toCSV()", async () => {
    await open(park(100));
    await head("n").locator("input").fill("<= 7");
    await expect.poll(() => count().textContent()).toMatch(/^8 of/);
    await frame.locator("#choose").click();
    await frame.locator("#chooser").getByText("STATUS").click();
    await frame.locator("#chooser div", { hasText: "<img" }).locator("input").click();
    const [download] = await Promise.all([page.waitForEvent("download"), frame.locator("#save").click()]);
    expect(download.suggestedFilename()).toBe("table.csv");
    const lines = (await text(await download.createReadStream())).split("\r\n");
    expect(lines).toHaveLength(10);
    expect(lines.slice(0, 3)).toEqual([
      "n,LOSS,day,note",
      `0,,2024-01-01T00:00:00.000Z,"'=HYPERLINK(""x"";0)"`,
      `7,110.65,2024-01-02T00:00:00.000Z,"plain, 1"`,
    ]);
  });

  test("saves geometries as GeoJSON, and null as an empty field", async () => {
    const ring = Array.from({ length: 300 }, (_, at) => [at, at / 3]);
    const place = (at: number) => (at === 1 ? null : { type: "Polygon", coordinates: [ring] });
    await open(
      table({ n: Array.from({ length: 12 }, (_, at) => at), place: Array.from({ length: 12 }, (_, at) => place(at)) }),
    );
    expect(await column(2, 2)).toEqual([expect.stringMatching(/^\{"type":"Polygon"/), "–"]);
    const [download] = await Promise.all([page.waitForEvent("download"), frame.locator("#save").click()]);
    const [, first, second] = (await text(await download.createReadStream())).split("\r\n");
    expect(JSON.parse(String(first?.slice(3, -1)).replaceAll('""', '"'))).toEqual(place(0));
    expect(second).toBe("1,");
  });

  test("shows code for its rows", async () => {
    const value = park(100);
    await open(value);
    await head("STATUS").locator(".top button").first().click();
    await head("n").locator("input").fill("< 50");
    await expect.poll(() => count().textContent()).toMatch(/^17 of/);
    await head("LOSS").locator(".name").click();
    await head("LOSS").locator(".name").click();
    await frame.locator("#choose").click();
    await frame.locator("#chooser div", { hasText: "<img" }).locator("input").click();
    await frame.locator("#code").click();
    expect(await frame.locator("#chooser").isVisible()).toBe(false);
    const code = String(await frame.locator("#coded pre").textContent());
    expect(code).toContain('.filter((d) => d["STATUS"] === "PLANNED")');
    const yielded = new Function("table", "aq", `return (${code.slice(0, -1)})`)(value, aq) as ColumnTable;
    expect(yielded.columnNames()).toEqual(["n", "STATUS", "LOSS", "day", "note"]);
    const shown = await column(1, yielded.numRows());
    expect([...yielded.array("n")].map(String)).toEqual(shown);
    await frame.locator("#coded button").click();
    await expect.poll(paste).toBe(code);
    await frame.locator("#coded pre").press("Escape");
    expect(await frame.locator("#coded").isVisible()).toBe(false);
    // The focus is on the button.
    await frame.locator("#code").click();
    await page.keyboard.press("Escape");
    expect(await frame.locator("#coded").isVisible()).toBe(false);
  });

  test("selects and reorders columns", async () => {
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
    await expect.poll(names).toEqual(["note", "n", "day", "STATUS", hostile, "LOSS"]);
  });

  test("reports that no rows match, and clears all filters", async () => {
    await open(park(100), 400);
    await head("STATUS").locator(".top button").first().click();
    await head("n").locator("input").fill("> 1000");
    await frame.locator("#scroll").evaluate((box) => box.scrollTo(400, 0));
    await frame.locator("#find").fill("plain");
    const foot = frame.locator("#grid tfoot");
    await expect.poll(() => foot.textContent()).toBe("No row matches · Clear ");
    // The search runs a moment later and renders the footer again.
    await expect.poll(async () => (await foot.locator("button").boundingBox())?.x ?? 0).toBeGreaterThan(50);
    await foot.locator("button").click();
    expect(await count().textContent()).toBe("100 rows · 6 columns");
    expect(await cells().count()).toBeGreaterThan(60);
    expect(await head("n").locator("input").inputValue()).toBe("");
    expect(await frame.locator("#find").inputValue()).toBe("");
    expect(await frame.locator("#filters button, [aria-pressed=true]").count()).toBe(0);
    expect(await foot.isVisible()).toBe(false);
  });

  /** A table of 30 rows with a visible id after another column, and eight more columns. */
  const wideTable = (idLength = 4) => {
    const each = (text: string) => Array.from({ length: 30 }, (_, row) => `${text}${row}`);
    const more = Object.fromEntries(Array.from({ length: 8 }, (_, column) => [`column ${column}`, each("value ")]));
    return table({ first: each("first "), visible_id: each("P".repeat(idLength)), ...more });
  };

  test.each([600, 400])("keeps the column of ids at the left, %i pixels", async (width) => {
    await open(wideTable(), width);
    const scroll = frame.locator("#scroll");
    const edge = async (element: Locator) => {
      const [box, view] = [await element.boundingBox(), await scroll.boundingBox()];
      return Math.round((box?.x ?? 0) - (view?.x ?? 0));
    };
    const cell = frame.locator("tbody tr[aria-rowindex='3'] td").nth(1);
    expect(await edge(cell)).toBeGreaterThan(50);
    await scroll.evaluate((box) => box.scrollTo(500, 100));
    expect([await edge(cell), await edge(head("visible_id"))]).toEqual([1, 1]);
    const shown = frame.locator("tbody tr[aria-rowindex='12'] td");
    await shown.nth(9).click();
    for (let step = 0; step < 7; step += 1) await page.keyboard.press("ArrowLeft");
    // The ids do not cover the focused cell.
    const held = await shown.nth(1).boundingBox();
    expect(await focused()).toBe("value 10");
    expect((await shown.nth(2).boundingBox())?.x).toBeGreaterThanOrEqual((held?.x ?? 0) + (held?.width ?? 0) - 1);
  });

  test("does not cover a narrow page with long ids", async () => {
    await open(wideTable(40), 400);
    const cell = frame.locator("tbody tr[aria-rowindex='3'] td").nth(1);
    await frame.locator("#scroll").evaluate((box) => box.scrollTo(600, 0));
    expect((await cell.boundingBox())?.x).toBeLessThan(0);
  });

  test("changes the width of columns by pointer and keys, and keeps it", async () => {
    await open(park(100));
    const width = async (name: string) => Math.round((await head(name).boundingBox())?.width ?? 0);
    const first = await width("STATUS");
    const grip = await head("STATUS").locator(".grip").boundingBox();
    await page.mouse.move((grip?.x ?? 0) + 3, (grip?.y ?? 0) + 20);
    await page.mouse.down();
    await page.mouse.move((grip?.x ?? 0) + 83, (grip?.y ?? 0) + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => width("STATUS")).toBe(first + 80);
    expect(await head("STATUS").getAttribute("aria-sort")).toBe("none");
    await head("STATUS").locator("input").fill("buil");
    await head("LOSS").locator(".name").click();
    await expect.poll(() => count().textContent()).toMatch(/^33 of the/);
    expect(await width("STATUS")).toBe(first + 80);
    expect(await width("LOSS")).toBe(Math.round((await cells().nth(2).boundingBox())?.width ?? 0));
    await head("STATUS").locator(".grip").dblclick();
    expect(await width("STATUS")).toBe(first);
    await cells().first().click();
    await page.keyboard.press("ArrowUp");
    const before = await width("n");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await width("n")).toBe(before + 16);
    for (let step = 0; step < 20; step += 1) await page.keyboard.press("Shift+ArrowLeft");
    expect(await width("n")).toBe(40);
    expect(await frame.locator("#said").textContent()).toBe("n is 40 pixels wide");
  });

  test("shows the sort arrow next to a long name", async () => {
    const name = "a name that is much longer than what is in its column, and longer than a column gets";
    await open(table({ [name]: Array.from({ length: 20 }, (_, row) => row) }));
    await head(name).locator(".name").click();
    const [mark, box] = [await head(name).locator(".mark").boundingBox(), await head(name).boundingBox()];
    expect(await head(name).locator(".mark").textContent()).toBe("▲");
    expect((mark?.x ?? 0) + (mark?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0) - 8);
  });

  test("shows names and values with markup as text", async () => {
    await open(park(100));
    expect(await frame.locator("th .name").last().textContent()).toBe(hostile);
    expect(await cells().nth(5).textContent()).toBe(hostile);
    await frame.locator(".top button", { hasText: "<img" }).click();
    expect(await frame.locator("#filters").textContent()).toContain(hostile);
    expect(await frame.locator("img").count()).toBe(0);
  });

  test("reports rows and columns that are not embedded", async () => {
    await open(show(park(2500), { columns: ["STATUS", "n"] }));
    expect(await count().textContent()).toBe(
      "2,500 rows (first 1,000 loaded) · 6 columns, 2 of them here · summaries of all rows",
    );
    expect(await head("n").locator("small").last().textContent()).toBe("02499");
  });

  test("does not make a narrow page wider", async () => {
    await open(park(100), 400);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    const box = await frame.locator("body").evaluate((body) => [body.scrollWidth, body.clientWidth]);
    expect(box[0]).toBe(box[1]);
  });

  test("has room for long numbers and the share of nulls in summaries", async () => {
    const each = <T>(...values: readonly T[]) => Array.from({ length: 30 }, (_, row) => values[row % values.length]);
    const wide = each(17_490_637_980_891, null, 258_080_460_806_632);
    const times = each(new Date(start + 1), null, new Date(start + 60_001));
    const texts = wide.map((number, row) => number && `${row}`);
    await open(table({ wide, long: each(-0.000012345, null, 123.45), times, texts }));
    const overlaps = await frame.locator("thead small:not(.type)").evaluateAll((all) =>
      all.map((words) => {
        const boxes = [...words.children].map((part) => part.getBoundingClientRect());
        const { left: first, right: last } = words.getBoundingClientRect();
        return boxes.some(({ left, right }, at) => left < first - 1 || right > (boxes[at + 1]?.left ?? last + 1));
      }),
    );
    expect(overlaps).toEqual([false, false, false, false]);
  });

  test("reports the number of further columns", async () => {
    const columns = Object.fromEntries(Array.from({ length: 70 }, (_, place) => [`c${place}`, Array(20).fill(place)]));
    await open(table(columns));
    const sign = frame.locator("thead th").last();
    expect(await sign.textContent()).toBe("10 more columns");
    await cells().first().click();
    await page.keyboard.press("End");
    expect(await focused()).toBe("59");
    expect(await page.locator(".siteframe-table th").last().textContent()).toBe("10 more columns");
  });

  test("prints all rows of its fallback", async () => {
    await open(park(100));
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.locator("iframe").isVisible()).toBe(false);
    const rows = page.locator(".siteframe-table tbody tr");
    expect(await rows.count()).toBe(50);
    const [last, box] = [await rows.last().boundingBox(), await page.locator(".siteframe-view").boundingBox()];
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));
    const scroll = page.locator(".siteframe-table .scroll");
    expect(await scroll.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
  });

  const contrasts = ["no-preference", "more"] as const;
  const colours = (["light", "dark"] as const).flatMap((colorScheme) => [
    ...contrasts.map((contrast) => ({ colorScheme, contrast, forcedColors: "none" as const })),
    { colorScheme, contrast: "no-preference" as const, forcedColors: "active" as const },
  ]);
  test.each(colours)("has enough contrast with %o", async (media) => {
    await open(park(1200));
    await page.emulateMedia(media);
    await head("LOSS").locator("small button").click();
    await frame.locator(".top button").first().click();
    const line = frame.locator("tbody tr[aria-rowindex='3'] td");
    await line.nth(1).click();
    await line.nth(3).click({ modifiers: ["Shift"] });
    const least = media.contrast === "more" ? 7 : 4.5;
    await expect.poll(() => faintTexts(frame.locator("body"), least)).toEqual([]);
    await expect.poll(() => faintTexts(page.locator(".siteframe-table"), least)).toEqual([]);
    const basemap = (cell: Locator) =>
      cell.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor);
    expect(await basemap(line.nth(2))).not.toBe(await basemap(line.nth(4)));
    const value = (isPressed: boolean) => frame.locator(`.top button[aria-pressed=${isPressed}]`).first();
    const look = (button: Locator) =>
      button.evaluate((element) => {
        const style = element.ownerDocument.defaultView?.getComputedStyle(element);
        return [style?.backgroundColor, style?.boxShadow];
      });
    expect(await look(value(true))).not.toEqual(await look(value(false)));
  });
});
