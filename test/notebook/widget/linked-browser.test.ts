import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escape as rowTest, table } from "arquero";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linked } from "../../../src/notebook/widget/index.js";
import { histogram, layerMap, Plot, plot } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../../support/browser.js";
import { openBrowser } from "../../support/open-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { AskingKernel } from "./fake-kernel.js";

const browserPath = findBrowser();
const count = 40;
const rows = table({
  id: Array.from({ length: count }, (_, row) => 100 + row),
  Status: Array.from({ length: count }, (_, row) => ["Open", "Closed", "Closed", "Blocked"][row % 4]),
  Assignee: Array.from({ length: count }, (_, row) => (row < 20 ? "Ada" : "Ben")),
});
/** A square for each row, ten beside each other. */
const squares = rows.derive({
  geometry: rowTest((row: { readonly id: number }) => {
    const [x, y] = [((row.id - 100) % 10) * 1e-4, Math.floor((row.id - 100) / 10) * 1e-4];
    const ring = [
      [x, y],
      [x + 8e-5, y],
      [x + 8e-5, y + 8e-5],
      [x, y + 8e-5],
      [x, y],
    ];
    return { type: "Polygon", coordinates: [ring] };
  }),
});
const barsOf = (column: string) =>
  plot({ marks: [Plot.barX(rows, Plot.groupY({ x: "count" }, { y: column, tip: true }))], marginLeft: 80 });
/** Without the outline of the one that is pointed at. */
const BARS = "[data-mark] rect:not([fill=none])";

/** A frame of somebody else in the same page, which hears what is said to all. */
const listener = `<iframe sandbox="allow-scripts" srcdoc="<script>
  var heard = [];
  addEventListener('message', ({ data }) => { heard.push(data); document.title = String(heard.length); });
</script>"></iframe>`;

describe.runIf(browserPath)("linked views in a page", () => {
  let browser: Browser;
  let page: Page;
  let folder = "";
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-linked-"));
    browser = await openBrowser();
    const views = linked({
      status: barsOf("Status"),
      people: barsOf("Assignee"),
      table: rows,
      map: layerMap(squares, "Status"),
    });
    const file = join(folder, "linked.html");
    // The policy of our own pages would let the stranger run nothing.
    const html = pageOf(await toMimeBundle(views)).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/i, "");
    writeFileSync(file, `${html}${listener}`);
    page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`file://${file}`);
    for (const frame of frames().slice(0, 4)) await frame.waitForSelector("html.live", { state: "attached" });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const frames = () => page.frames().slice(1) as [Frame, Frame, Frame, Frame, Frame];
  const bar = (chart: number, text: string) => {
    const place = { Open: 0, Closed: 1, Blocked: 2, Ada: 0, Ben: 1 }[text];
    return (frames()[chart] as Frame).locator(BARS).nth(place ?? -1);
  };
  const faded = async (chart: number) => {
    const all = await (frames()[chart] as Frame).locator(BARS).all();
    return Promise.all(all.map((one) => one.evaluate((element) => element.style.opacity !== "")));
  };
  const picked = () => frames()[3].locator("#filters").innerText();
  const pickedRows = () => frames()[3].locator("tr.picked td:first-child").allInnerTexts();

  test("select in the table what is clicked in a chart, and show what that is in the other chart", async () => {
    await bar(0, "Blocked").click();
    await expect.poll(picked).toContain("10 selected");
    expect((await pickedRows()).slice(0, 3)).toEqual(["103", "107", "111"]);
    await expect.poll(() => faded(0)).toEqual([true, true, false]);
    expect(await faded(1)).toEqual([false, false]);
    await frames()[3].getByText("Only these").click();
    await expect.poll(() => frames()[3].locator("#count").innerText()).toContain("10 of the 40 rows");
    await frames()[3].getByText("Only these").click();
  });

  test("show in charts what is selected in the table, and nothing once more", async () => {
    await frames()[3].locator("tbody td", { hasText: /^102$/ }).click();
    await expect.poll(picked).toContain("1 selected");
    await expect.poll(() => faded(0)).toEqual([true, false, true]);
    await expect.poll(() => faded(1)).toEqual([false, true]);
    // Another bar can be taken, though it is faded.
    await bar(1, "Ben").click();
    await expect.poll(picked).toContain("20 selected");
    await expect.poll(() => faded(1)).toEqual([true, false]);
    await frames()[3].getByRole("button", { name: "20 selected" }).click();
    await expect.poll(() => faded(1)).toEqual([false, false]);
    expect(await pickedRows()).toEqual([]);
  });

  test("select on the map what is selected in the others, and there what is selected on the map", async () => {
    await bar(0, "Blocked").click();
    const told = () => frames()[2].locator("#told").innerText();
    await expect.poll(told).toMatch(/^10 selected/);
    await frames()[2].locator("#find").fill("102");
    await page.keyboard.press("Enter");
    await expect.poll(told).toMatch(/^1 selected/);
    await expect.poll(picked).toContain("1 selected");
    expect(await pickedRows()).toEqual(["102"]);
    await expect.poll(() => faded(0)).toEqual([true, false, true]);
    await frames()[2].locator("#figure").press("Escape");
    await expect.poll(picked).toBe("");
    await expect.poll(told).not.toMatch(/selected:/);
  });

  test("show, count and write as code only these, and all again once nothing is selected", async () => {
    await bar(0, "Blocked").click();
    await frames()[3].getByText("Only these").click();
    const shownRows = () => frames()[3].locator("#count").innerText();
    await expect.poll(shownRows).toContain("10 of the 40 rows");
    expect(await frames()[3].locator("[data-key='value Closed']").getAttribute("title")).toMatch(/, 0 of them left/);
    const code = await frames()[3].locator("#coded pre").textContent();
    expect(code).toContain('.filter((d) => ["103","107","111",');
    // Another selection is what is shown then.
    await bar(1, "Ben").click();
    await expect.poll(shownRows).toContain("20 of the 40 rows");
    await frames()[2].locator("#figure").press("Escape");
    await expect.poll(shownRows).not.toContain("of the 40 rows");
    expect(await frames()[3].locator("#coded pre").textContent()).not.toContain("filter");
  });

  test("can be driven by keys", async () => {
    await frames()[3].evaluate('document.getElementById("scroll").scrollTo(0, 0)');
    await frames()[3].locator("tbody td", { hasText: /^100$/ }).click();
    await frames()[3].locator("body").press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => faded(0)).toEqual([true, false, true]);
    await frames()[0].locator("#figure").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expect.poll(picked).toContain("10 selected");
    await page.keyboard.press("Escape");
    await expect.poll(picked).toBe("");
  });

  test("say nothing to others in the page but that there was something", async () => {
    await bar(1, "Ada").click();
    await expect.poll(() => faded(1)).toEqual([false, true]);
    const heard = await frames()[4].evaluate<object[]>("heard.map(({ iv, text, group, ...rest }) => rest)");
    expect(heard.length).toBeGreaterThan(5);
    expect(new Set(heard.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"siteframe":"selection","version":1}']),
    );
    expect(complaints).toEqual([]);
  });
});

describe.runIf(browserPath)("linked charts of numbers and dates", () => {
  let browser: Browser;
  let page: Page;
  let folder = "";
  const measured = table({
    id: Array.from({ length: count }, (_, row) => `m${row}`),
    Length: Array.from({ length: count }, (_, row) => row + 1 / 3),
    created_at: Array.from({ length: count }, (_, row) => new Date(1.7e12 + 86_400_000 * row + 12_345)),
    Status: Array.from({ length: count }, (_, row) => (row % 8 === 0 ? null : "Open")),
    // No chart is of it; what cannot be written as JSON is told all the same.
    Ratio: Array.from({ length: count }, (_, row) => (row === 11 ? Number.POSITIVE_INFINITY : row)),
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-linked-"));
    browser = await openBrowser();
    const bins = Plot.binX({ y: "count" }, { x: "Length", interval: 10 });
    const views = linked({
      bins: plot({ marks: [Plot.rectY(measured, bins)] }),
      dots: plot({ marks: [Plot.dot(measured, { x: "created_at", y: "Length", fill: "black" })] }),
      groups: plot({ marks: [Plot.barX(measured, Plot.groupY({ x: "count" }, { y: "Status" }))] }),
      others: plot({ marks: [Plot.dot([{ a: 1 }], { x: "a", y: "a", fill: "black" })] }),
      unknown: plot({ marks: [Plot.barX([{ Status: "Lost", n: 5 }], { x: "n", y: "Status" })] }),
      histogram: histogram(measured, "Length", { bins: [0, 10, 25, 40] }),
      table: measured,
    });
    const file = join(folder, "linked.html");
    writeFileSync(file, pageOf(await toMimeBundle(views)));
    page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    await page.goto(`file://${file}`);
    for (const frame of frames()) await frame.waitForSelector("html.live", { state: "attached" });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const frames = () => page.frames().slice(1, 8) as [Frame, Frame, Frame, Frame, Frame, Frame, Frame];
  const mark = (chart: number, shape: string, place: number) =>
    (frames()[chart] as Frame).locator(`[data-mark] ${shape}`).nth(place);
  const picked = () => frames()[6].locator("#filters").innerText();
  const pickedRows = () => frames()[6].locator("tr.picked td:first-child").allInnerTexts();

  test("select the rows of a histogram's bar", async () => {
    await mark(5, "rect", 1).click();
    await expect.poll(picked).toContain("15 selected");
    expect((await pickedRows())[0]).toBe("m10");
  });

  test("show in bars of bins and dots of numbers and dates what is selected", async () => {
    const faded = async (chart: number, shape: string) => {
      const all = await (frames()[chart] as Frame).locator(`[data-mark] ${shape}:not([fill=none])`).all();
      return Promise.all(all.map((one) => one.evaluate((element) => element.style.opacity !== "")));
    };
    await expect.poll(() => faded(5, "rect")).toEqual([true, false, true]);
    await expect.poll(() => faded(0, "rect")).toEqual([true, false, false, true]);
    const dots = Array.from({ length: count }, (_, row) => row < 10 || row >= 25);
    await expect.poll(() => faded(1, "circle")).toEqual(dots);
    expect(await faded(3, "circle")).toEqual([false]);
    await frames()[1].locator("#figure").press("Escape");
    await expect.poll(() => faded(1, "circle")).toEqual(dots.map(() => false));
    await expect.poll(picked).toBe("");
    await mark(5, "rect", 1).click();
    await expect.poll(picked).toContain("15 selected");
  });

  test("select the rows of a bin, of a date to the millisecond, and of nothing", async () => {
    await mark(0, "rect", 1).click();
    await expect.poll(picked).toContain("10 selected");
    expect((await pickedRows()).slice(0, 2)).toEqual(["m10", "m11"]);
    await mark(1, "circle", 5).click();
    await expect.poll(picked).toMatch(/^1 selected/);
    expect(await pickedRows()).toEqual(["m5"]);
    await mark(2, "rect", 0).click();
    await expect.poll(picked).toMatch(/^5 selected/);
    expect((await pickedRows()).slice(0, 2)).toEqual(["m0", "m8"]);
  });

  test("leave what is selected where a click is about no column, or no row has it", async () => {
    await mark(3, "circle", 0).click();
    await mark(4, "rect", 0).click();
    await expect.poll(() => frames()[6].locator("#said").textContent()).toBe("No row here has what was clicked");
    expect(await picked()).toMatch(/^5 selected/);
  });
});

describe.runIf(browserPath)("linked views whose kernel takes its time", () => {
  /** Stands around the frames, as the page of a notebook does: keeps what they say to the kernel, and says what a test has it say. */
  const around = `
    globalThis.asked = [];
    addEventListener("message", ({ data }) => data?.siteframe === "table" && asked.push(data));
    globalThis.say = (type, id) => {
      for (let index = 0; index < frames.length; index += 1) {
        frames[index].postMessage({ siteframe: "table", version: 1, type, id, table: "the selection" }, "*");
      }
    };`;
  const kernel = new AskingKernel();
  let browser: Browser;
  let page: Page;
  let folder = "";

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    await page.addInitScript(`if (top === self) { ${around} }`);
    const bundle = await toMimeBundle(linked({ status: barsOf("Status"), table: rows, again: barsOf("Status") }));
    folder = mkdtempSync(join(tmpdir(), "siteframe-linked-"));
    writeFileSync(join(folder, "linked.html"), pageOf(bundle));
    await page.goto(`file://${join(folder, "linked.html")}`);
    for (const frame of page.frames().slice(1)) await frame.waitForSelector("html.live", { state: "attached" });
  });

  afterAll(async () => {
    await browser?.close();
    kernel.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const cell = (id: number) => page.frames()[3]?.locator("tbody td", { hasText: new RegExp(`^${id}$`) });
  const told = () =>
    page.evaluate<readonly (readonly string[])[]>(`asked.filter(({ type }) => type === "ask").map(({ ids }) => ids)`);
  const say = (type: string, id?: number) => page.evaluate(`say(${JSON.stringify(type)}, ${id})`);

  test("tell it once it hears what was selected before", async () => {
    await cell(101)?.click();
    await cell(102)?.click();
    expect(await told()).toEqual([]);
    await say("hello");
    await expect.poll(told).toEqual([["102"]]);
    await say("hello");
    await cell(103)?.click();
    await expect.poll(told).toEqual([["102"], ["103"]]);
  });

  test("tell it what was selected while it was away, and what comes after a refusal", async () => {
    await say("bye");
    await cell(104)?.click();
    await say("hello");
    await expect.poll(told).toEqual([["102"], ["103"], ["104"]]);
    await say("refusal");
    await cell(105)?.click();
    await expect.poll(told).toEqual([["102"], ["103"], ["104"], ["105"]]);
  });

  test("tell it once more what it did not answer before it was away, and nothing that it did", async () => {
    await say("bye");
    await say("hello");
    await expect.poll(told).toEqual([["102"], ["103"], ["104"], ["105"], ["105"]]);
    await say("answer", (await told()).length);
    await say("bye");
    await say("hello");
    await cell(106)?.click();
    await expect.poll(told).toEqual([["102"], ["103"], ["104"], ["105"], ["105"], ["106"]]);
  });
});
