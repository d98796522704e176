import { text } from "node:stream/consumers";
import { type ColumnTable, table } from "arquero";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LiveTables } from "../../../src/kernel/cells/cell-thread.js";
import { announceKernel, type Comm, type Comms } from "../../../src/tables/display/live-kernel.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { openBrowser } from "../../support/open-browser.js";
import { hoverAnew } from "../../tables/display/hover-anew.js";
import { openOutput } from "../../tables/display/open-output.js";

const browserPath = findBrowser();
const hostile = "<img src=x onerror=\"document.title='run'\">";

/** Rows with a descending number, a string, and a string that only the last row has. */
function long(rows: number): ColumnTable {
  const each = <T>(value: (row: number) => T) => Array.from({ length: rows }, (_, row) => value(row));
  return table({
    n: each((row) => rows - row),
    name: each((row) => `row ${row % 1000}`),
    note: each((row) => (row === rows - 1 ? hostile : null)),
  });
}

/** The kernel's side of the connection, without a kernel. Its messages go to `onMessage`. */
class Line {
  readonly messages: unknown[] = [];
  readonly comms: Comms;
  #open: ((comm: Comm, data: unknown) => unknown) | undefined;
  #comm: Comm | undefined;
  onMessage: (data: unknown) => void = () => undefined;

  constructor(tables: LiveTables) {
    const register: Comms["register"] = (_, onOpen) => {
      this.#open = (comm, data) => onOpen(comm, { data, metadata: {}, buffers: [] });
    };
    this.comms = { register, open: () => expect.unreachable() };
    tables.listen(this.comms);
  }

  take(message: unknown): void {
    this.messages.push(message);
    const { type } = message as { readonly type: string };
    if (type === "hello") {
      const send = (data: unknown) => this.onMessage(JSON.parse(JSON.stringify(data)));
      this.#comm = {
        ...{ id: "1", target: "siteframe.table", send, close: () => undefined },
        ...{ onMessage: undefined, onClose: undefined },
      };
      this.#open?.(this.#comm, message);
    } else this.#comm?.onMessage?.({ data: message, metadata: {}, buffers: [] });
  }
}

describe.runIf(browserPath)("a table with rows in a kernel", () => {
  let browser: Browser;
  let page: Page;
  let frame: FrameLocator;
  let line: Line;
  const folder = temporaryFolder();
  let problems: readonly string[] = [];
  let forget = () => {};
  const tables = new LiveTables();

  beforeAll(async () => {
    browser = await openBrowser();
    const { comms } = new Line(tables);
    forget = announceKernel({ comms, tables, callBack: () => expect.unreachable() });
  });

  afterAll(async () => {
    forget();
    await browser?.close();
  });

  afterEach(async () => {
    expect(problems).toEqual([]);
    expect(await page.title()).not.toBe("run");
    await page.close();
  });

  /** Opens a value in a page that may pass messages on. */
  async function open(value: object, isHost = true): Promise<void> {
    line = new Line(tables);
    line.onMessage = (message) => void post(message);
    const host = async (opened: Page) => {
      page = opened;
      await page.exposeFunction("siteframeAsks", (message: unknown) => line.take(message));
      await page.addInitScript(`addEventListener("message", ({ data, source }) => {
        if (source === document.querySelector("iframe")?.contentWindow && data.siteframe === "table") siteframeAsks(data);
      })`);
    };
    ({ page, frame, problems } = await openOutput(browser, value, { folder, ...(isHost ? { prepare: host } : {}) }));
  }

  /** Posts a message to the frame from its page. */
  const post = (message: unknown) =>
    page.evaluate(`document.querySelector("iframe").contentWindow.postMessage(${JSON.stringify(message)}, "*")`);
  const count = () => frame.locator("#count").textContent();
  const head = (name: string) => frame.locator("th", { has: frame.locator(`.name[title="${name}"]`) });
  const cells = () => frame.locator("tbody tr:not(.space) td");
  const focused = () => frame.locator("td:focus").textContent();
  const isConnected = () => expect.poll(count).toMatch(/others in the kernel/);

  test("shows the last of a million rows, and the first again", async () => {
    const million = long(1_000_000);
    await open(million);
    await isConnected();
    await cells().first().click();
    await page.keyboard.press("Control+End");
    await expect.poll(focused).toBe(hostile);
    const last = frame.locator("tbody tr[aria-rowindex='1000001'] td");
    await expect.poll(() => last.allTextContents()).toEqual(["1", "row 999", hostile]);
    await expect.poll(() => last.first().isVisible()).toBe(true);
    for (let times = 0; times < 30; times += 1) await page.keyboard.press("ArrowUp");
    await expect.poll(() => frame.locator("tr:has(:focus)").getAttribute("aria-rowindex")).toBe("999971");
    await expect.poll(focused).toBe("–");
    await expect.poll(() => frame.locator("tr:has(:focus) td").first().textContent()).toBe("31");
    await page.keyboard.press("Control+Home");
    await expect.poll(focused).toBe("1,000,000");
    expect(million.numRows()).toBe(1_000_000);
  });

  test("stays at the position of the scroll bar, and scrolls row by row from there", async () => {
    const million = long(1_000_000);
    await open(million);
    await isConnected();
    const scroll = frame.locator("#scroll");
    await scroll.evaluate((element) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) / 2;
    });
    const rowsInView = () =>
      frame.locator("tbody tr[aria-rowindex]").evaluateAll((lines) =>
        lines
          .filter((each) => {
            const { top, bottom } = each.getBoundingClientRect();
            const box = each.closest("#scroll")?.getBoundingClientRect();
            return box && top >= box.top + 80 && bottom <= box.bottom;
          })
          .map((each) => Number(each.getAttribute("aria-rowindex")) - 1),
      );
    await expect.poll(async () => (await rowsInView()).length).toBeGreaterThan(5);
    await expect.poll(() => frame.locator("tbody tr[aria-busy]").count()).toBe(0);
    const [middle = 0] = await rowsInView();
    expect(Math.abs(middle - 500_000)).toBeLessThan(100);
    // A wheel event may be lost before the browser has painted the scrolled rows; each other event scrolls four rows.
    let turns = 0;
    const gone = async () => ((await rowsInView())[0] ?? middle) - middle;
    const turn = async () => {
      if ((await gone()) !== 0) return true;
      turns += 1;
      await hoverAnew(page, scroll);
      await page.mouse.wheel(0, 100);
      return false;
    };
    await expect.poll(turn, { interval: 500 }).toBe(true);
    let before = 0;
    const rests = async () => {
      const now = await gone();
      const isSame = now === before;
      before = now;
      return isSame && now % 4 === 0;
    };
    await expect.poll(rests, { interval: 300 }).toBe(true);
    expect(before / 4).toBeGreaterThan(0);
    expect(before / 4).toBeLessThanOrEqual(turns);
    await expect.poll(() => frame.locator("tbody tr[aria-busy]").count()).toBe(0);
    expect(million.numRows()).toBe(1_000_000);
  });

  test("sorts and filters all rows, including rows in the kernel", async () => {
    // A column that counts rows has no bars.
    const table = long(5000).derive({ size: (row: { n: number }) => row.n * 1.5 });
    await open(table);
    await isConnected();
    await head("n").locator(".name").click();
    await expect.poll(() => cells().first().textContent()).toBe("1");
    await expect.poll(() => cells().nth(2).textContent()).toBe(hostile);
    await head("name").locator("input").fill("row 77");
    await expect.poll(count).toMatch(/^55 of the 5,000 rows ·/);
    await head("note").locator("small button").click();
    await expect.poll(count).toMatch(/^55 of the 5,000 rows ·/);
    await head("size").locator(".bars button").first().click();
    await expect.poll(count).toMatch(/^10 of the 5,000 rows ·/);
    await expect.poll(() => cells().first().textContent()).toBe("221");
    expect(table.numRows()).toBe(5000);
  });

  test("copies and saves rows in the kernel", async () => {
    const table = long(5000);
    await open(table);
    await isConnected();
    await cells().first().click();
    await page.keyboard.press("Control+Shift+End");
    await expect.poll(() => frame.locator("tr:has(:focus)").getAttribute("aria-rowindex")).toBe("5001");
    await frame.locator("#copy").click();
    await expect.poll(() => frame.locator("#said").textContent()).toBe("Copied 5,000 × 3 cells");
    await page.evaluate("document.body.append(document.createElement('textarea'))");
    // Browsers copy asynchronously.
    const lines = async () => {
      await page.locator("textarea").fill("");
      await page.keyboard.press("Control+V");
      return (await page.locator("textarea").inputValue()).split("\n");
    };
    const pasted = async () => ((all) => [all.length, all[2500], all[4999]])(await lines());
    await expect.poll(pasted).toEqual([5000, "2500\trow 500\t", `1\trow 999\t"${hostile.replaceAll('"', '""')}"`]);
    const [download] = await Promise.all([page.waitForEvent("download"), frame.locator("#save").click()]);
    const saved = (await text(await download.createReadStream())).split("\r\n");
    expect([saved.length, saved[0], saved[5000]]).toEqual([
      5002,
      "n,name,note",
      `1,row 999,"${hostile.replaceAll('"', '""')}"`,
    ]);
    expect(table.numRows()).toBe(5000);
  });

  test("reports the missing rows without a kernel", async () => {
    const table = long(3000);
    await open(table, false);
    await expect.poll(count).toMatch(/^3,000 rows \(first 1,000 loaded, no kernel for others\)/);
    await cells().first().click();
    await page.keyboard.press("Control+End");
    await expect.poll(() => frame.locator("tr:has(:focus)").getAttribute("aria-rowindex")).toBe("1001");
    const note = frame.locator("tfoot");
    await expect.poll(() => note.textContent()).toBe("2,000 more rows are not loaded");
    const isInView = () =>
      note.evaluate(
        (element) => element.getBoundingClientRect().bottom <= element.ownerDocument.documentElement.clientHeight,
      );
    await expect.poll(isInView).toBe(true);
    await head("n").locator(".name").click();
    await expect.poll(() => cells().first().textContent()).toBe("2001");
    await expect.poll(() => note.textContent()).toBe("2,000 more rows are not loaded, sorted or searched");
    expect(table.numRows()).toBe(3000);
  });

  test("shows embedded rows while the kernel is away", async () => {
    const table = long(3000);
    await open(table);
    await isConnected();
    await head("n").locator(".name").click();
    await expect.poll(() => cells().first().textContent()).toBe("1");
    await post({ siteframe: "table", version: 1, type: "bye" });
    await expect.poll(() => cells().first().textContent()).toBe("2001");
    await expect.poll(count).toMatch(/no kernel for others/);
    await post({ siteframe: "table", version: 1, type: "wake" });
    await expect.poll(() => cells().first().textContent()).toBe("1");
    await isConnected();
    expect(table.numRows()).toBe(3000);
  });

  test("ignores invalid answers", async () => {
    const table = long(3000);
    await open(table);
    await isConnected();
    const envelope = { siteframe: "table", version: 1, table: (line.messages[0] as { readonly table: string }).table };
    const good = { rows: [0, 200], of: 200, cut: 0 };
    const column = { kind: "text", texts: ["x"], codes: Array(200).fill(0) };
    for (const wrong of [
      { cells: [column, column] },
      { cells: [column, column, { ...column, codes: Array(200).fill(1) }] },
      { cells: [column, column, { ...column, texts: [{}] }] },
      { cells: [column, column, { kind: "number", numbers: Array(200).fill("1") }] },
      { cells: [column, column, column], rows: [0, 100] },
    ]) {
      const { onMessage } = line;
      line.onMessage = (answer) => {
        const { id } = answer as { readonly id: number };
        void post({ ...envelope, type: "answer", ...good, ...wrong, id });
      };
      await head("n").locator(".name").click();
      await expect.poll(count).toMatch(/; invalid response\)/);
      line.onMessage = onMessage;
      await head("n").locator(".name").click();
      await head("n").locator(".name").click();
    }
    await post({ ...envelope, type: "answer", id: 900, ...good, cells: [column, column, column] });
    await post({ ...envelope, version: 2, type: "bye" });
    await post({ ...envelope, type: "constructor" });
    await post(null);
    await isConnected();
    expect(table.numRows()).toBe(3000);
  });
});
