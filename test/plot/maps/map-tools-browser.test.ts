import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { from } from "arquero";
import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Figure, layerMap, type MapAnimation, mapAnimation, mapPanels } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { linkFrames } from "../../../src/tables/display/view.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { liveFrame, useBrowser } from "../../support/use-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";
import { decodePng } from "../png/decode-png.js";
import { across, gridMiddle, gridSquare } from "./grid-squares.js";

const browserPath = findBrowser();

/** Squares whose order is not that of their ids. */
const rows = Array.from({ length: 60 }, (_, place) => ({
  id: 1000 - 7 * place,
  visible_id: `P-${String(place).padStart(2, "0")}`,
  STATUS: ["OPEN", "CLOSED"][place % 2],
  geometry: gridSquare(place),
}));
const table = from(rows);
const timed = from(
  ["2024-01-01", "2024-02-01", "2024-03-01"].flatMap((date, month) =>
    rows.map((row, place) => ({ ...row, date, STATUS: place < 20 * month ? "CLOSED" : "OPEN" })),
  ),
);

describe.runIf(browserPath)("the tools of a map in a browser", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;
  let frame: Frame;
  let problems: readonly string[];

  interface Host {
    readonly width?: number;
    readonly scale?: number;
    /** Changes of the output by a host. */
    readonly edit?: (html: string) => string;
  }

  async function open(figure: Figure | MapAnimation, { width = 1000, scale = 1, edit = (html) => html }: Host = {}) {
    const file = join(folder, "map.html");
    const bundle = await toMimeBundle(figure);
    const html = linkFrames(String(bundle["text/html"]), { group: "map", key: btoa("a key of 16 byte"), table: "map" });
    writeFileSync(file, edit(pageOf({ ...bundle, "text/html": html })));
    await page?.close();
    ({ page, problems } = await openPage({ viewport: { width, height: 900 }, deviceScaleFactor: scale }));
    // Keeps every selection that the frame sends to the kernel. This page does not save the states of views.
    await page.addInitScript(`if (window === top) {
      window.selections = [];
      addEventListener("message", ({ source, data }) => {
        if (data.siteframe !== "table") return;
        if (data.type === "ask") selections.push(data.ids);
        source.postMessage({ ...data, type: data.type === "ask" ? "answer" : "hello" }, "*");
      });
    }`);
    await page.goto(`file://${file}`);
    frame = await liveFrame(page);
    if (await page.locator("iframe").isVisible()) await untilPointed(page, frame);
  }

  const status = () => frame.locator("#told").textContent();
  const said = () => frame.locator("#said").textContent();
  const tip = () => frame.locator("#tip:not([hidden])").allInnerTexts().then(String);
  const selections = () => page.evaluate<readonly (readonly string[])[]>("globalThis.selections");
  const lastIds = async () => (await selections()).at(-1);
  const bar = () =>
    frame
      .locator("[data-bar]")
      .first()
      .evaluate((path) => path.nextElementSibling?.textContent ?? "");
  const idOf = (place: number) => String(rows[place]?.id);

  /** A place on the page by shares of the box of all squares, at the first view of the map. */
  async function spot(x: number, y: number, pane = 0): Promise<readonly [number, number]> {
    const box = await frame.locator("canvas:not(.above)").nth(pane).boundingBox();
    if (!box) throw new Error("no canvas");
    // The squares are 0.00098° wide and 0.00058° high, fitted into the pane with an inset of 8.
    const aspect = 0.00058 / (0.00098 * Math.cos((48 * Math.PI) / 180));
    const width = Math.min(box.width - 16, (box.height - 16) / aspect);
    const [left, top] = [box.x + (box.width - width) / 2, box.y + (box.height - width * aspect) / 2];
    return [left + x * width, top + (1 - y) * width * aspect];
  }
  const middleOf = (place: number, pane = 0) => spot(...gridMiddle(place, rows.length), pane);
  async function drag(points: readonly (readonly [number, number])[]) {
    const [first, ...others] = points;
    await page.mouse.move(...(first ?? [0, 0]));
    await page.mouse.down();
    for (const point of others) await page.mouse.move(...point, { steps: 5 });
    await page.mouse.up();
  }
  /** The copied text, with blanks for the ends of lines. */
  async function pasted(): Promise<string> {
    await frame.locator("#find").fill("");
    await frame.locator("#find").focus();
    await page.keyboard.press("Control+V");
    const text = await frame.locator("#find").inputValue();
    await frame.locator("#find").fill("");
    return text;
  }
  const item = (text: string) => frame.locator("#menu button", { hasText: text });
  const colours = () =>
    frame
      .locator("canvas:not(.above)")
      .first()
      .evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());

  test("has all tools below it in a narrow column of a wide page, also if it was hidden first", async () => {
    const column = '<div id="column" style="display:none;width:561px">';
    const start = '<div class="siteframe-view"';
    await open(layerMap(table, "STATUS"), { edit: (html) => html.replace(start, column + start) });
    await page.evaluate(`document.getElementById("column").style.display = ""`);
    await frame.locator("#told").waitFor({ state: "visible" });
    const drawn = () => frame.locator("#stage > svg").getAttribute("viewBox");
    await expect.poll(drawn).toMatch(/^0 0 720 /);
    const bottom = await frame.locator("#status").evaluate((status) => status.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThanOrEqual((await frame.evaluate<number>("innerHeight")) + 1);
  });

  test("a click selects, Ctrl adds or removes, Escape clears, and the kernel gets the ids", async () => {
    await open(layerMap(table, "STATUS"));
    const plain = await colours();
    await page.mouse.click(...(await middleOf(3)));
    await expect.poll(status).toBe("1 selected: P-03");
    await expect.poll(selections).toEqual([[idOf(3)]]);
    const one = await colours();
    expect(one).not.toBe(plain);
    await page.keyboard.down("Control");
    await page.mouse.click(...(await middleOf(14)));
    await expect.poll(status).toBe("2 selected: P-03, P-14");
    await page.mouse.click(...(await middleOf(3)));
    await page.keyboard.up("Control");
    await expect.poll(status).toBe("1 selected: P-14");
    await expect.poll(lastIds).toEqual([idOf(14)]);
    await page.keyboard.press("Escape");
    await expect.poll(status).toBe("");
    await expect.poll(lastIds).toEqual([]);
    expect(await colours()).toBe(plain);
    expect(problems).toEqual([]);
  });

  test("Shift and a drag select a box, the lasso an area, in every pane, and ids can be copied", async () => {
    await open(mapPanels(timed, "STATUS"));
    await page.keyboard.down("Shift");
    await drag([await spot(-0.01, -0.01, 1), await spot(0.3, 0.34, 1)]);
    await page.keyboard.up("Shift");
    const box = [0, 1, 2, 10, 11, 12];
    await expect.poll(status).toBe("6 selected: P-00, P-01, P-02, P-10, P-11, P-12");
    await expect.poll(lastIds).toEqual(box.map(idOf));
    await frame.locator("#copy").click();
    await expect.poll(said).toBe("Copied 6 ids");
    await expect.poll(pasted).toBe(box.map(idOf).join(" "));
    // The drag does not move the map. A lasso with Ctrl adds.
    await frame.locator("#lasso").click();
    expect(await frame.locator("#lasso").getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.down("Control");
    await drag([await spot(0.59, 0.5), await spot(0.59, 0.67), await spot(0.83, 0.67), await spot(0.83, 0.5)]);
    await page.keyboard.up("Control");
    await expect.poll(status).toBe("8 selected: P-00, P-01, P-02, P-10, P-11, P-12, P-36, P-37");
    // Escape ends the lasso, and only then the selection.
    await frame.locator("#figure").focus();
    await page.keyboard.press("Escape");
    expect(await frame.locator("#lasso").getAttribute("aria-pressed")).toBe("false");
    expect(await status()).toContain("8 selected");
    await frame.locator("#clear").click();
    await expect.poll(status).toBe("");
    expect(problems).toEqual([]);
  });

  test("finds features by name and id, zooms to them, goes to the next, and reports missing ones", async () => {
    await open(layerMap(table, "STATUS"));
    const whole = await bar();
    const find = async (text: string) => {
      await frame.locator("#find").fill(text);
      await frame.locator("#find").press("Enter");
    };
    await find("p-34");
    await expect.poll(status).toBe("1 selected: P-34");
    await expect.poll(tip).toContain("P-34");
    await expect.poll(said).toContain("P-34, STATUS OPEN");
    await expect.poll(bar).not.toBe(whole);
    await find(String(idOf(41)));
    await expect.poll(tip).toContain("P-41");
    await find("P-5");
    await expect.poll(status).toBe("1 of 10 with “P-5”; Enter shows the next");
    await expect.poll(tip).toContain("P-50");
    await frame.locator("#find").press("Enter");
    await expect.poll(tip).toContain("P-51");
    await find("P-99<b>");
    await expect.poll(status).toBe("No feature is named “P-99<b>”");
    await expect.poll(said).toBe("No feature is named “P-99<b>”");
    // Slash focuses the field, Escape the map.
    await frame.locator("#find").press("Escape");
    expect(await frame.evaluate("document.activeElement.id")).toBe("figure");
    await page.keyboard.press("/");
    expect(await frame.evaluate("document.activeElement.id")).toBe("find");
    expect(await frame.locator("#find").inputValue()).toBe("P-99<b>");
    expect(problems).toEqual([]);
  });

  test("N and P go through the table, and announce each feature", async () => {
    await open(layerMap(table, "STATUS"));
    await frame.locator("#figure").focus();
    for (const name of ["P-00", "P-01", "P-02"]) {
      await page.keyboard.press("n");
      await expect.poll(said).toContain(`${name}, STATUS`);
      await expect.poll(tip).toContain(name);
    }
    await page.keyboard.press("p");
    await expect.poll(said).toContain("P-01, STATUS");
    await expect.poll(lastIds).toEqual([idOf(1)]);
    await frame.locator("#before").click();
    await frame.locator("#before").click();
    await expect.poll(said).toContain("P-59, STATUS");
    // Features that the legend hides are skipped.
    await frame.locator("[data-entry]", { hasText: "OPEN" }).click();
    await frame.locator("#next").click();
    await expect.poll(said).toContain("P-00, STATUS OPEN");
    await frame.locator("#next").click();
    await expect.poll(said).toContain("P-02, STATUS OPEN");
  });

  test("copies coordinates of the pointer, by menu and key, and of the selection", async () => {
    await open(layerMap(table, "STATUS"));
    const near = async (place: number) => {
      const latitude = 48 + Math.floor(place / across) * 0.0001 + 0.00004;
      const longitude = 11 + (place % across) * 0.0001 + 0.00004;
      await expect
        .poll(async () => (await pasted()).split(", ").map(Number))
        .toEqual([latitude, longitude].map((degrees) => expect.closeTo(degrees, 5)));
    };
    await page.mouse.click(...(await middleOf(23)), { button: "right" });
    await expect.poll(() => item("Copy").textContent()).toMatch(/^Copy 48\.000\d{4}, 11\.000\d{4}$/);
    await item("Copy").click();
    await near(23);
    await page.mouse.move(...(await middleOf(38)));
    await frame.locator("#figure").focus();
    await page.keyboard.press("c");
    await near(38);
    await frame.locator("#find").fill("P-07");
    await frame.locator("#find").press("Enter");
    await frame.locator("#more").focus();
    await page.keyboard.press("Enter");
    await item("Copy coordinates of P-07").press("Enter");
    await expect.poll(said).toMatch(/^Copied 48/);
    await near(7);
    expect(problems).toEqual([]);
  });

  test("measures lengths and areas as layers do", async () => {
    await open(layerMap(table, "STATUS"));
    await frame.locator("#measure").click();
    expect(await status()).toContain("Click places");
    for (const place of [0, 9]) await page.mouse.click(...(await middleOf(place)));
    // Nine steps of 0.0001° at 48° north.
    const metres = (text: string | null) => Number(/([\d.]+) m/.exec(text ?? "")?.[1]);
    expect(metres(await status())).toBeCloseTo(66.97, 0);
    await page.mouse.click(...(await middleOf(59)));
    expect(metres(await status())).toBeCloseTo(66.97 + 55.6, 0);
    expect(Number(/area ([\d,]+) m²/.exec((await status()) ?? "")?.[1]?.replace(",", ""))).toBeCloseTo(1862, -2);
    await frame.locator("#figure").focus();
    await page.keyboard.press("Backspace");
    expect(metres(await status())).toBeCloseTo(66.97, 0);
    expect(await selections()).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await status()).toContain("Click to select");
    // With the keyboard alone: M, arrows and Enter.
    await page.keyboard.press("m");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Enter");
    expect(metres(await status())).toBeGreaterThan(5);
  });

  test("cards link to the web application, by template and by function", async () => {
    const opened: string[] = [];
    const openCard = async () => {
      await page.context().route(/example\.com/, (route) => {
        opened.push(route.request().url());
        return route.fulfill({ contentType: "text/html", body: "<title>feature</title>" });
      });
      await page.mouse.click(...(await middleOf(4)));
      const link = frame.locator("#tip a");
      await expect.poll(() => link.getAttribute("aria-label")).toBe("Open P-04");
      const [popup] = await Promise.all([page.waitForEvent("popup"), link.click()]);
      await popup.waitForLoadState();
      // The page has an origin, and no opener.
      expect(await popup.evaluate("[self.origin, opener]")).toEqual(["https://example.com", null]);
      await popup.close();
    };
    await open(layerMap(table, "STATUS", { href: "https://example.com/f/{id}?name={visible_id}" }));
    await openCard();
    await page.mouse.move(2, 2);
    await frame.locator("#figure").focus();
    await page.keyboard.press("Enter");
    const focused = () => frame.evaluate("document.activeElement.getAttribute('aria-label')");
    await expect.poll(focused).toBe("Open P-04");
    await frame.locator("#more").click();
    await item("Copy link").click();
    await expect.poll(pasted).toBe(`https://example.com/f/${idOf(4)}?name=P-04`);
    await open(
      mapAnimation(timed, "STATUS", {
        href: ({ id }) => (String(id) === idOf(4) ? `https://example.com/${id}?x` : null),
      }),
    );
    await openCard();
    await page.mouse.click(...(await middleOf(5)));
    await expect.poll(tip).toContain("P-05");
    expect(await frame.locator("#tip a").count()).toBe(0);
    expect(opened).toEqual([`https://example.com/f/${idOf(4)}?name=P-04`, `https://example.com/${idOf(4)}?x`]);
    expect(problems).toEqual([]);
  });

  test("manipulated addresses run nothing", async () => {
    const href = "https://example.com/{id}";
    const edit = (html: string) => html.replaceAll("https://example.com/", "javascript:top.hacked=");
    await open(layerMap(from(rows.slice(0, 10)), "STATUS", { href }), { edit });
    await page.mouse.click(...(await spot(0.04, 0.5)));
    await frame.locator("#figure").focus();
    await page.keyboard.press("n");
    await expect.poll(tip).toContain("P-");
    expect(await frame.locator("#tip a").count()).toBe(0);
  });

  test("saves the view as PNG, in the resolution of the screen", async () => {
    await open(layerMap(table, "STATUS"), { scale: 2 });
    await page.mouse.click(...(await middleOf(3)));
    await frame.locator("#more").click();
    const [download] = await Promise.all([page.waitForEvent("download"), item("Save as PNG").click()]);
    expect(download.suggestedFilename()).toBe("map.png");
    const file = join(folder, "saved.png");
    await download.saveAs(file);
    const { width, height, at } = decodePng(readFileSync(file));
    const stage = await frame.locator("#stage").boundingBox();
    const sharp = await frame.evaluate<number>("devicePixelRatio");
    expect([width, height]).toEqual([sharp * (stage?.width ?? 0), Math.round(sharp * (stage?.height ?? 0))]);
    const seen = new Set<string>();
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) seen.add(at(x, y).slice(0, 3).join());
    // Background, text, the selection, and the others paler.
    for (const colour of ["255,255,255", "29,34,40", "140,149,157"]) expect(seen).toContain(colour);
    expect(problems).toEqual([]);
  });

  test("offers full screen only if the host allows it", async () => {
    await open(layerMap(table, "STATUS"));
    await frame.locator("#more").click();
    await item("Full screen").click();
    await expect.poll(() => frame.evaluate("document.fullscreenElement !== null")).toBe(true);
    const fits = `document.getElementById("status").getBoundingClientRect().bottom - innerHeight`;
    await expect.poll(() => frame.evaluate(fits)).toBeLessThanOrEqual(1);
    await frame.locator("#more").click();
    await item("Leave full screen").click();
    await expect.poll(() => frame.evaluate("document.fullscreenElement")).toBeNull();
    await open(layerMap(table, "STATUS"), { edit: (html) => html.replace(' allow="fullscreen"', "") });
    await frame.locator("#more").click();
    expect(await item("Save as PNG").count()).toBe(1);
    expect(await item("Full screen").count()).toBe(0);
  });

  test("place, zoom and selection stay while a time map plays", async () => {
    await open(mapAnimation(timed, "STATUS"));
    const whole = await bar();
    await frame.locator("#find").fill("P-25");
    await frame.locator("#find").press("Enter");
    await expect.poll(tip).toContain("CLOSED");
    // The scale follows with the next picture.
    await expect.poll(bar).not.toBe(whole);
    const near = await bar();
    const place = await frame.locator("#tip").boundingBox();
    await frame.locator("#slider").focus();
    for (const [key, value] of [
      ["Home", "OPEN"],
      ["ArrowRight", "OPEN"],
      ["End", "CLOSED"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(tip).toContain(value);
      expect(await bar()).toBe(near);
      expect((await frame.locator("#tip").boundingBox())?.y).toBe(place?.y);
      expect(await status()).toBe("1 selected: P-25");
    }
  });

  test.each([400, 1280])("at %d pixels buttons are large enough to touch, and below the features", async (width) => {
    await open(mapAnimation(timed, "STATUS", { href: "https://example.com/{id}" }), { width });
    const boxes = (selector: string) =>
      frame.locator(selector).evaluateAll((all) =>
        all.map((one) => {
          const { left, top, right, bottom } = (
            one as unknown as { getBoundingClientRect(): Record<"left" | "top" | "right" | "bottom", number> }
          ).getBoundingClientRect();
          return { left, top, right, bottom };
        }),
      );
    await frame.locator("#next").click();
    const [canvas] = await boxes("canvas");
    const inner = await frame.evaluate<number>("innerWidth");
    const buttons = await boxes(":is(#tools, #status) :is(button, input):not([hidden])");
    expect(buttons.length).toBeGreaterThan(8);
    for (const { left, top, right, bottom } of buttons) {
      expect(Math.min(right - left, bottom - top)).toBeGreaterThanOrEqual(28);
      expect(top).toBeGreaterThanOrEqual(canvas?.bottom ?? 0);
      expect(right).toBeLessThanOrEqual(inner);
    }
  });
});
