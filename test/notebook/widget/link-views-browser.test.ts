import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { escape as rowTest, table } from "arquero";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkViews } from "../../../src/notebook/widget/index.js";
import { histogram, layerMap, Plot, plot } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { rectangle } from "../../support/rectangle.js";
import { useBrowser } from "../../support/use-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { AskingKernel } from "./fake-kernel.js";

const browserPath = findBrowser();
const count = 40;
const rows = table({
  id: Array.from({ length: count }, (_, row) => 100 + row),
  Status: Array.from({ length: count }, (_, row) => ["Open", "Closed", "Closed", "Blocked"][row % 4]),
  Assignee: Array.from({ length: count }, (_, row) => (row < 20 ? "Ada" : "Ben")),
});
/** A square for each row, ten next to each other. */
const squares = rows.derive({
  geometry: rowTest(({ id }: { readonly id: number }) =>
    rectangle(((id - 100) % 10) * 1e-4, Math.floor((id - 100) / 10) * 1e-4, 8e-5),
  ),
});
const barsOf = (column: string) =>
  plot({ marks: [Plot.barX(rows, Plot.groupY({ x: "count" }, { y: column, tip: true }))], marginLeft: 80 });
/** Without the outline of the bar under the pointer. */
const BARS = "[data-mark] rect:not([fill=none])";

/** A file with the page of an output. */
async function writePage(folder: string, views: unknown, edit = (html: string) => html): Promise<string> {
  const file = join(folder, "linked.html");
  writeFileSync(file, edit(pageOf(await toMimeBundle(views))));
  return `file://${file}`;
}

const viewport = { width: 1280, height: 1400 };
/** In a page: shows which marks are faded. */
const fadedMarks = async (frame: Frame, selector: string) => {
  const all = await frame.locator(selector).all();
  return Promise.all(all.map((one) => one.evaluate((element) => element.style.opacity !== "")));
};

/** A foreign frame in the same page, which gets the messages to all frames. */
const listener = `<iframe sandbox="allow-scripts" srcdoc="<script>
  var heard = [];
  addEventListener('message', ({ data }) => { heard.push(data); document.title = String(heard.length); });
</script>"></iframe>`;

describe.runIf(browserPath)("linked views in a page", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;
  let problems: readonly string[];

  beforeAll(async () => {
    const views = linkViews({
      status: barsOf("Status"),
      people: barsOf("Assignee"),
      table: rows,
      map: layerMap(squares, "Status"),
    });
    // The policy of Siteframe's pages would block the scripts of the foreign frame.
    const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/i;
    const address = await writePage(folder, views, (html) => `${html.replace(policy, "")}${listener}`);
    ({ page, problems } = await openPage({ viewport }));
    await page.goto(address);
    for (const frame of frames().slice(0, 4)) await frame.waitForSelector("html.live", { state: "attached" });
  });

  const frames = () => page.frames().slice(1) as [Frame, Frame, Frame, Frame, Frame];
  const bar = (chart: number, text: string) => {
    const place = { Open: 0, Closed: 1, Blocked: 2, Ada: 0, Ben: 1 }[text];
    return (frames()[chart] as Frame).locator(BARS).nth(place ?? -1);
  };
  const faded = (chart: number) => fadedMarks(frames()[chart] as Frame, BARS);
  const picked = () => frames()[3].locator("#filters").innerText();
  const pickedRows = () => frames()[3].locator("tr.picked td:first-child").allInnerTexts();

  test("select the rows of a clicked mark in the table and the other chart", async () => {
    await bar(0, "Blocked").click();
    await expect.poll(picked).toContain("10 selected");
    expect((await pickedRows()).slice(0, 3)).toEqual(["103", "107", "111"]);
    await expect.poll(() => faded(0)).toEqual([true, true, false]);
    expect(await faded(1)).toEqual([false, false]);
    await frames()[3].getByText("Only these").click();
    await expect.poll(() => frames()[3].locator("#count").innerText()).toContain("10 of the 40 rows");
    await frames()[3].getByText("Only these").click();
  });

  test("show the selection of the table in charts, and clear it", async () => {
    await frames()[3].locator("tbody td", { hasText: /^102$/ }).click();
    await expect.poll(picked).toContain("1 selected");
    await expect.poll(() => faded(0)).toEqual([true, false, true]);
    await expect.poll(() => faded(1)).toEqual([false, true]);
    // A faded bar can be selected.
    await bar(1, "Ben").click();
    await expect.poll(picked).toContain("20 selected");
    await expect.poll(() => faded(1)).toEqual([true, false]);
    await frames()[3].getByRole("button", { name: "20 selected" }).click();
    await expect.poll(() => faded(1)).toEqual([false, false]);
    expect(await pickedRows()).toEqual([]);
  });

  test("share the selection between the map and the other views", async () => {
    await bar(0, "Blocked").click();
    const status = () => frames()[2].locator("#told").innerText();
    await expect.poll(status).toMatch(/^10 selected/);
    await frames()[2].locator("#find").fill("102");
    await page.keyboard.press("Enter");
    await expect.poll(status).toMatch(/^1 selected/);
    await expect.poll(picked).toContain("1 selected");
    expect(await pickedRows()).toEqual(["102"]);
    await expect.poll(() => faded(0)).toEqual([true, false, true]);
    await frames()[2].locator("#figure").press("Escape");
    await expect.poll(picked).toBe("");
    await expect.poll(status).not.toMatch(/selected:/);
  });

  test("show, count and write as code only the selection, or all rows without a selection", async () => {
    await bar(0, "Blocked").click();
    await frames()[3].getByText("Only these").click();
    const shownRows = () => frames()[3].locator("#count").innerText();
    await expect.poll(shownRows).toContain("10 of the 40 rows");
    expect(await frames()[3].locator(`[data-key='{"value":"Closed"}']`).getAttribute("title")).toMatch(
      /, 0 of them left/,
    );
    const code = await frames()[3].locator("#coded pre").textContent();
    expect(code).toContain('.filter((d) => ["103","107","111",');
    // Another selection replaces it.
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

  test("send encrypted messages to other frames in the page", async () => {
    await bar(1, "Ada").click();
    await expect.poll(() => faded(1)).toEqual([false, true]);
    const heard = await frames()[4].evaluate<object[]>("heard.map(({ iv, text, group, ...rest }) => rest)");
    expect(heard.length).toBeGreaterThan(5);
    expect(new Set(heard.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"siteframe":"selection","version":1,"type":"selected"}']),
    );
    expect(problems).toEqual([]);
  });
});

describe.runIf(browserPath)("linked charts of numbers and dates", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;
  const measured = table({
    id: Array.from({ length: count }, (_, row) => `m${row}`),
    Length: Array.from({ length: count }, (_, row) => row + 1 / 3),
    created_at: Array.from({ length: count }, (_, row) => new Date(1.7e12 + 86_400_000 * row + 12_345)),
    Status: Array.from({ length: count }, (_, row) => (row % 8 === 0 ? null : "Open")),
    // This column is in no chart, and has a value that JSON does not have.
    Ratio: Array.from({ length: count }, (_, row) => (row === 11 ? Number.POSITIVE_INFINITY : row)),
  });

  beforeAll(async () => {
    const bins = Plot.binX({ y: "count" }, { x: "Length", interval: 10 });
    const views = linkViews({
      bins: plot({ marks: [Plot.rectY(measured, bins)] }),
      dots: plot({ marks: [Plot.dot(measured, { x: "created_at", y: "Length", fill: "black" })] }),
      groups: plot({ marks: [Plot.barX(measured, Plot.groupY({ x: "count" }, { y: "Status" }))] }),
      others: plot({ marks: [Plot.dot([{ a: 1 }], { x: "a", y: "a", fill: "black" })] }),
      unknown: plot({ marks: [Plot.barX([{ Status: "Lost", n: 5 }], { x: "n", y: "Status" })] }),
      histogram: histogram(measured, "Length", { bins: [0, 10, 25, 40] }),
      table: measured,
    });
    ({ page } = await openPage({ viewport }));
    await page.goto(await writePage(folder, views));
    for (const frame of frames()) await frame.waitForSelector("html.live", { state: "attached" });
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

  test("show the selection in bins and in dots of numbers and dates", async () => {
    const faded = (chart: number, shape: string) =>
      fadedMarks(frames()[chart] as Frame, `[data-mark] ${shape}:not([fill=none])`);
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

  test("select the rows of a bin, of an exact date, and of a missing value", async () => {
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

  test("keep the selection after a click on unrelated marks", async () => {
    await mark(3, "circle", 0).click();
    await mark(4, "rect", 0).click();
    await expect.poll(() => frames()[6].locator("#said").textContent()).toBe("No row here has the selected values");
    expect(await picked()).toMatch(/^5 selected/);
  });
});

describe.runIf(browserPath)("linked views with a slow kernel", () => {
  /** The page of a notebook: keeps the messages of frames to the kernel, and sends messages of the test. */
  const around = `
    globalThis.messages = [];
    addEventListener("message", ({ data }) => data?.siteframe === "table" && messages.push(data));
    globalThis.say = (type, id) => {
      for (let index = 0; index < frames.length; index += 1) {
        frames[index].postMessage({ siteframe: "table", version: 1, type, id, table: "the selection" }, "*");
      }
    };`;
  const kernel = new AskingKernel();
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openPage({ viewport }));
    await page.addInitScript(`if (top === self) { ${around} }`);
    const views = linkViews({ status: barsOf("Status"), table: rows, again: barsOf("Status") });
    await page.goto(await writePage(folder, views));
    for (const frame of page.frames().slice(1)) await frame.waitForSelector("html.live", { state: "attached" });
  });

  afterAll(() => kernel.close());

  const cell = (id: number) => page.frames()[3]?.locator("tbody td", { hasText: new RegExp(`^${id}$`) });
  const sent = () =>
    page.evaluate<readonly (readonly string[])[]>(
      `messages.filter(({ type }) => type === "ask").map(({ ids }) => ids)`,
    );
  const say = (type: string, id?: number) => page.evaluate(`say(${JSON.stringify(type)}, ${id})`);

  test("send the last selection when the kernel answers", async () => {
    await cell(101)?.click();
    await cell(102)?.click();
    expect(await sent()).toEqual([]);
    await say("hello");
    await expect.poll(sent).toEqual([["102"]]);
    await say("hello");
    await cell(103)?.click();
    await expect.poll(sent).toEqual([["102"], ["103"]]);
  });

  test("send a selection that was made without the kernel, and one after a rejection", async () => {
    await say("bye");
    await cell(104)?.click();
    await say("hello");
    await expect.poll(sent).toEqual([["102"], ["103"], ["104"]]);
    await say("refusal");
    await cell(105)?.click();
    await expect.poll(sent).toEqual([["102"], ["103"], ["104"], ["105"]]);
  });

  test("send an unanswered selection again, but not an answered one", async () => {
    await say("bye");
    await say("hello");
    await expect.poll(sent).toEqual([["102"], ["103"], ["104"], ["105"], ["105"]]);
    await say("answer", (await sent()).length);
    await say("bye");
    await say("hello");
    await cell(106)?.click();
    await expect.poll(sent).toEqual([["102"], ["103"], ["104"], ["105"], ["105"], ["106"]]);
  });
});
