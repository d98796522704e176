import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installLabExtension } from "../../../src/kernel/install/lab-extension.js";
import { findBrowser } from "../../support/browser.js";
import { labOfNotebooks } from "../../support/lab-of-notebooks.js";
import { openBrowser } from "../../support/open-browser.js";
import { findPython, type Python } from "../../support/python.js";
import { restartKernel } from "../../support/restart-kernel.js";
import { enterLabCell, labCell } from "../../support/run-lab-cell.js";
import type { Lab } from "../../support/start-lab.js";

const browserPath = findBrowser();
const python = findPython("jupyterlab");
const pictures = join(import.meta.dirname, "../../../out/jupyterlab");

/** `NodeFilter.SHOW_TEXT` of browsers. */
const SHOW_TEXT = 4;

const pace = `/** Metres a day: \`$1\` and $2 are no formula. */
function pace(metres: number, days = 5): number {
  return metres / days;
}`;
const notebooks = {
  errors: ["const piles = [73.2, 81];", "piles.lenght", "const n: number = piles.length;\nn"],
  names: [pace, "pace(10)", "const pace2 = pace(", "readFileSync('a.txt')"],
  started: [pace, "pace(10)"],
  overloads: ["1 + 1", "const day = new Date"],
  moved: ["const n = 1;", "n.toFixed()", "missing"],
  restarted: ["const n = 1;", "n.foo"],
  views: ["const n = 1;", "n.foo"],
  unread: ["const n = 1;", "n.foo"],
};

describe.runIf(python && browserPath)("JupyterLab while cells are typed", () => {
  let lab: Lab;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    const { env } = python as Python;
    installLabExtension({ type: "prefix", prefix: resolve(env["JUPYTER_DATA_DIR"] ?? "", "../..") });
    lab = await labOfNotebooks(python as Python, { notebooks });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
  });

  /** Opens a notebook. `sent` has the messages of its page to the kernel. */
  async function open(name: keyof typeof notebooks, { serverStartsAfterMs = 0 } = {}) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, colorScheme: null });
    page.setDefaultTimeout(60_000);
    const sent: string[] = [];
    if (serverStartsAfterMs > 0) await holdServer(page, serverStartsAfterMs);
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => void sent.push(String(payload))));
    await page.goto(`${lab.url}/lab/tree/${name}.ipynb?reset`);
    await labCell(page, 0).waitFor();
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
    return { page, sent };
  }

  /** Delays the message that the language server has started, and all later messages. */
  function holdServer(page: Page, ms: number): Promise<void> {
    return page.routeWebSocket(/\/channels/, (socket) => {
      const kernel = socket.connectToServer();
      let held = Promise.resolve();
      kernel.onMessage((message) => {
        if (String(message).includes("hoverProvider")) held = delay(ms);
        void held.then(() => socket.send(message));
      });
    });
  }

  const marks = (page: Page, index: number) => labCell(page, index).locator(".siteframe-error");
  const tip = (page: Page) => page.locator(".siteframe-tip");
  const code = (page: Page, index: number) => labCell(page, index).locator(".cm-content").innerText();
  const underlined = (page: Page, index: number) => expect.poll(() => marks(page, index).allInnerTexts());

  /** Puts the cursor into a cell, at its beginning. */
  async function enter(page: Page, index: number): Promise<void> {
    await enterLabCell(page, index);
    await page.keyboard.press("Control+Home");
  }

  /** Points at a string in a cell. */
  async function pointAt(line: Locator, text: string): Promise<void> {
    const place = await line.evaluate(
      (element, [wanted, kind]) => {
        const walker = element.ownerDocument.createTreeWalker(element, kind);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const start = node.textContent?.indexOf(wanted) ?? -1;
          if (start === -1) continue;
          const range = element.ownerDocument.createRange();
          range.setStart(node, start);
          range.setEnd(node, start + wanted.length);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        }
        return undefined;
      },
      [text, SHOW_TEXT] as const,
    );
    if (!place) throw new Error(`missing text: ${text}`);
    await line.page().mouse.move(2, 2);
    await line.page().mouse.move(place.x, place.y, { steps: 3 });
  }

  /** The tooltip of a string in a cell. Points again if a moving cell closes the tooltip. */
  const tooltipOf = (page: Page, index: number, text: string) =>
    expect.poll(
      async () => {
        await pointAt(labCell(page, index).locator(".cm-line").first(), text);
        return await tip(page)
          .innerText({ timeout: 8000 })
          .catch(() => "");
      },
      { timeout: 40_000 },
    );

  test("a notebook that is only read starts no server", async () => {
    const { page, sent } = await open("unread");
    await pointAt(labCell(page, 1).locator(".cm-line").first(), "foo");
    await page.waitForTimeout(1000);
    const requests = () => sent.filter((message) => message.includes("siteframe.lsp")).length;
    expect(requests()).toBe(0);
    expect(await page.locator(".siteframe-error").count()).toBe(0);
    await enter(page, 0);
    await expect.poll(requests).toBeGreaterThan(0);
    await underlined(page, 1).toEqual(["foo"]);
    await page.close();
  });

  test("errors are underlined before a cell runs, have a tooltip, and disappear when fixed", async () => {
    const { page } = await open("errors");
    await enter(page, 0);
    await underlined(page, 1).toEqual(["lenght"]);
    await tooltipOf(page, 1, "lenght").toMatch(/Property 'lenght' does not exist.*Did you mean 'length'\?\s*TS2551/);
    await page.screenshot({ path: join(pictures, "error-while-typing.png") });
    await enter(page, 1);
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("piles.lenght // again");
    await underlined(page, 1).toEqual(["lenght"]);
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("piles.length");
    await underlined(page, 1).toEqual([]);
    await enter(page, 0);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nconst n = 'two';");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("let x: number = 'a'; ");
    await underlined(page, 0).toEqual(["x"]);
    await page.close();
  });

  test("a tooltip appears after the server has started, if the pointer is still at the name", async () => {
    for (const leaves of [false, true]) {
      const { page } = await open("started", { serverStartsAfterMs: 2000 });
      await enter(page, 1);
      await pointAt(labCell(page, 1).locator(".cm-line").first(), "pace");
      if (leaves) {
        // After CodeMirror has detected the hover.
        await page.waitForTimeout(600);
        await page.mouse.move(2, 2);
      }
      await page.locator(".siteframe-language").waitFor();
      if (leaves) await page.waitForTimeout(600);
      const expected = leaves ? [] : [expect.stringContaining("function pace(")];
      await expect.poll(() => tip(page).allInnerTexts()).toEqual(expected);
      await page.close();
    }
  });

  test("names have a tooltip, calls have signature help", async () => {
    const { page } = await open("names");
    await enter(page, 1);
    await tooltipOf(page, 1, "pace").toMatch(
      /function pace\(metres: number, days\?: number\): number[\s\S]*Metres a day: \$1 and \$2 are no formula\./,
    );
    await enter(page, 2);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("3,");
    const turn = tip(page).locator(".siteframe-tip-signature b");
    await expect.poll(() => turn.allInnerTexts()).toEqual(["days?: number"]);
    await page.screenshot({ path: join(pictures, "signature-while-typing.png") });
    await page.keyboard.press("Escape");
    expect(await tip(page).count()).toBe(0);
    await page.keyboard.press("Control+Shift+Space");
    await expect.poll(() => turn.allInnerTexts()).toEqual(["days?: number"]);
    await page.keyboard.type(" 4)");
    await expect.poll(() => tip(page).count()).toBe(0);
    await page.close();
  });

  test("arrow keys select an overload, which stays while its arguments are typed", async () => {
    const { page } = await open("overloads");
    const turn = tip(page).locator(".siteframe-tip-signature b");
    const count = tip(page).getByText(/^\d of \d ↑↓$/);
    await enter(page, 1);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("(");
    await expect.poll(() => count.allInnerTexts()).toEqual([expect.stringMatching(/^1 of/)]);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => turn.allInnerTexts()).toEqual(["year: number"]);
    const middle = async (part: Locator) => {
      const box = await part.boundingBox();
      return box ? box.y + box.height / 2 : Number.NaN;
    };
    const line = await middle(labCell(page, 1).locator(".cm-line"));
    const lowerEdge = async () => {
      const box = await tip(page).boundingBox();
      return box ? box.y + box.height : Number.NaN;
    };
    await expect.poll(lowerEdge).toBeLessThan(line);
    await page.screenshot({ path: join(pictures, "overload-while-typing.png") });
    await page.keyboard.type("2026, ");
    await expect.poll(() => turn.allInnerTexts()).toEqual(["monthIndex: number"]);
    await page.keyboard.press("Escape");
    // To the start of the line, then to the cell above.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.locator(".jp-Notebook .jp-mod-active .cm-content").innerText()).toBe("1 + 1");
    await page.close();
  });

  test("keys go to definitions, references and errors, rename, and apply quick fixes", async () => {
    const { page } = await open("names");
    const inCell = () => page.locator(".jp-Notebook .jp-mod-active .cm-content").innerText();
    await enter(page, 1);
    await underlined(page, 3).toEqual(["readFileSync"]);
    await page.keyboard.press("F12");
    await expect.poll(inCell).toContain("function pace");
    await page.keyboard.press("Shift+F12");
    await expect
      .poll(() => tip(page).locator("button").allInnerTexts())
      .toEqual([
        "Cell 1, line 2: function pace(metres: number, days = 5): number {",
        "Cell 2, line 1: pace(10)",
        "Cell 3, line 1: const pace2 = pace(",
      ]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(inCell).toBe("pace(10)");
    await page.keyboard.press("F2");
    await page.locator(".jp-Dialog input").fill("speed");
    await page.keyboard.press("Enter");
    await expect.poll(() => code(page, 1)).toBe("speed(10)");
    await expect.poll(() => code(page, 0)).toContain("function speed(");
    await expect.poll(() => code(page, 2)).toBe("const pace2 = speed(");
    await page.keyboard.press("F8");
    await expect.poll(() => tip(page).innerText()).toMatch(/TS1005/);
    await page.keyboard.press("F8");
    await expect.poll(() => tip(page).innerText()).toMatch(/Cannot find name 'readFileSync'/);
    await page.keyboard.press("Control+.");
    await expect.poll(() => tip(page).locator("button").allInnerTexts()).toContain('Add import from "fs"');
    await page.screenshot({ path: join(pictures, "quick-fix.png") });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toMatch(/^Add import/);
    await page.keyboard.press("Enter");
    await expect.poll(() => code(page, 3)).toMatch(/^import \{ readFileSync \} from "(node:)?fs";/);
    await underlined(page, 3).toEqual([]);
    await page.close();
  });

  test("errors follow the order of cells", async () => {
    const { page } = await open("moved");
    const cells = page.locator(".jp-Notebook .jp-CodeCell");
    await enter(page, 1);
    await underlined(page, 2).toEqual(["missing"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+ArrowUp");
    await underlined(page, 0).toEqual(["n"]);
    await page.keyboard.press("Control+Shift+ArrowDown");
    await underlined(page, 1).toEqual([]);
    await page.keyboard.press("a");
    await enter(page, 1);
    await page.keyboard.type("const missing = n;");
    await underlined(page, 3).toEqual([]);
    await page.keyboard.press("Escape");
    const cellsLeft = async () => {
      const before = await cells.count();
      // Twice within a second, or Lab takes each by itself.
      for (const key of before > 3 ? ["d", "d"] : []) await page.keyboard.press(key);
      return cells.count();
    };
    await expect.poll(cellsLeft, { interval: 1500 }).toBe(3);
    await underlined(page, 2).toEqual(["missing"]);
    await page.close();
  });

  test("the active window or view has the server", async () => {
    const { page } = await open("views");
    await enter(page, 0);
    await underlined(page, 1).toEqual(["foo"]);
    const { page: second } = await open("views");
    await enter(second, 0);
    await underlined(second, 1).toEqual(["foo"]);
    await underlined(page, 1).toEqual([]);
    await second.close();
    await enter(page, 1);
    await underlined(page, 1).toEqual(["foo"]);

    const tab = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", { hasText: "views.ipynb" });
    await tab.click({ button: "right" });
    await page.getByText("New View for Notebook").click();
    await expect.poll(() => tab.count()).toBe(2);
    await page.locator(".jp-NotebookPanel").nth(1).locator(".cm-content").nth(1).waitFor();
    await tab.first().locator(".lm-TabBar-tabCloseIcon").click();
    await expect.poll(() => tab.count()).toBe(1);
    await enter(page, 1);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("bar");
    await underlined(page, 1).toEqual(["foobar"]);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F12");
    await expect.poll(() => page.locator(".jp-Notebook .jp-mod-active .cm-content").innerText()).toBe("const n = 1;");
    await page.close();
  });

  test("a restarted kernel shows errors too", async () => {
    const { page } = await open("restarted");
    await enter(page, 0);
    await underlined(page, 1).toEqual(["foo"]);
    await restartKernel(page);
    await enter(page, 1);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("bar");
    await underlined(page, 1).toEqual(["foobar"]);
    await page.close();
  });
});
