import { from } from "arquero";
import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Figure, layerMap, type MapAnimation, mapPanels, Plot } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../../support/browser.js";
import { liveFrame, useBrowser } from "../../support/use-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";
import { gridMiddle, gridSquare, inkedBox } from "./grid-squares.js";

const browserPath = findBrowser();
const hostile = [
  '<img src=x onerror="top.hacked=1">',
  "</script><script>top.hacked=1</script>",
  "a]]>b\u2028c",
  "'\"&amp;",
];

/** Squares whose names and values are full of markup. */
const rows = Array.from({ length: 60 }, (_, id) => ({
  id,
  visible_id: `P-${id} ${hostile[id % hostile.length]}`,
  STATUS: ["OPEN", hostile[0], "CLOSED"][id % 3],
  POWER: id * 1.25,
  geometry: gridSquare(id),
}));
const table = from(rows);
const timed = from(
  ["2024-01-01", "2024-02-01", "2024-03-01"].flatMap((date, month) =>
    rows.map((row) => ({ ...row, date, STATUS: row.id < 20 * month ? "CLOSED" : "OPEN" })),
  ),
);

describe.runIf(browserPath)("a map in a browser", () => {
  const openPage = useBrowser();
  let page: Page;
  let frame: Frame;
  let problems: readonly string[];

  /** Shows a map in a notebook page that can be scrolled. */
  async function open(figure: Figure | MapAnimation): Promise<void> {
    const data = await toMimeBundle(figure);
    await page?.close();
    ({ page, problems } = await openPage({ viewport: { width: 1100, height: 1000 } }));
    await page.setContent(`${pageOf(data)}<div style="height:2000px">`);
    frame = await liveFrame(page);
    await frame.locator("#figure").scrollIntoViewIfNeeded();
    await untilPointed(page, frame);
  }

  const canvases = () => frame.locator("canvas:not(.above)");
  /** The text of the tip, which is empty if it is hidden. */
  const tip = () => frame.locator("#tip:not([hidden])").allInnerTexts().then(String);
  const bar = () =>
    frame
      .locator("[data-bar]")
      .first()
      .evaluate((path) => path.nextElementSibling?.textContent ?? "");
  const said = () => frame.locator("#said").textContent();

  /** The middle of a square on the page, at the first view of the map. */
  async function middleOf(id: number, pane = 0): Promise<readonly [number, number]> {
    const canvas = canvases().nth(pane);
    const box = await canvas.boundingBox();
    const inked = (await canvas.evaluate(inkedBox)) as readonly [number, number, number, number];
    if (!box) throw new Error("no canvas");
    const [left, top, right, bottom] = inked;
    const [x, y] = gridMiddle(id, rows.length);
    return [box.x + (left + x * (right - left)) * box.width, box.y + (bottom - y * (bottom - top)) * box.height];
  }

  const painted = () =>
    frame.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

  async function pointAt([x, y]: readonly [number, number]): Promise<void> {
    await page.mouse.move(x, y - 1);
    await page.mouse.move(x, y);
    await painted();
  }

  /** Points at a place until its tip contains a string, since the browser may not have painted the place yet. */
  async function expectTip(place: readonly [number, number], text: string): Promise<void> {
    const tipOf = async () => {
      await pointAt(place);
      return tip();
    };
    if (text === "") await expect.poll(tipOf).toBe("");
    else await expect.poll(tipOf).toContain(text);
  }

  /** The pixels of each pane. */
  const picture = () =>
    canvases().evaluateAll((all) => all.map((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL()));
  /** Waits until the map no longer changes, and differs from an earlier state. */
  async function rest(earlier?: readonly string[]): Promise<void> {
    let last: readonly string[] = [];
    const isAtRest = async () => {
      await painted();
      const now = await seen();
      const isSame = now.join() === last.join() && now.join() !== earlier?.join();
      last = now;
      return isSame;
    };
    await expect.poll(isAtRest, { interval: 200 }).toBe(true);
  }
  const seen = async (): Promise<readonly string[]> => [await bar(), ...(await picture())];

  test("a tooltip counts the visible features at its location, which has a ring", async () => {
    const same = rows.map((row) => ({ ...row, geometry: { type: "Point", coordinates: [11, 48] } }));
    await open(layerMap(from(same), "STATUS"));
    const box = await canvases().first().boundingBox();
    if (!box) throw new Error("no canvas");
    await expectTip([box.x + box.width / 2, box.y + box.height / 2], " of 60 here");
    // One of three labels.
    await frame.locator("[data-entry]").first().click();
    await expectTip([box.x + box.width / 2, box.y + box.height / 2], " of 20 here");
  });

  test("tips have the values of the table, with markup as text", async () => {
    await open(layerMap(table, "STATUS", { tip: ["POWER"] }));
    for (const id of [0, 1, 2, 9, 10, 23, 34, 45, 58, 59]) {
      const { visible_id, STATUS, POWER } = rows[id] ?? rows[0] ?? { visible_id: "", STATUS: "", POWER: 0 };
      const cells = async () => {
        await pointAt(await middleOf(id));
        return frame.locator("#tip :is(b, th, td)").allTextContents();
      };
      await expect.poll(cells).toEqual([visible_id, "STATUS", STATUS, "POWER", String(POWER)]);
    }
    const below = await frame.locator("#figure").boundingBox();
    await page.mouse.move(500, (below?.y ?? 0) + (below?.height ?? 0) + 60, { steps: 3 });
    await expect.poll(tip).toBe("");
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
    expect(await frame.locator("img, body script[src]").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("a click pins a tip and announces it; a second click on the same feature unpins it", async () => {
    await open(layerMap(table, "STATUS"));
    const [first, second] = [await middleOf(3), await middleOf(47)];
    await expectTip(first, "P-3 ");
    await page.mouse.click(...first);
    await expect.poll(said).toContain("P-3 ");
    await pointAt(second);
    await expect.poll(tip).toContain("P-3 ");
    await page.mouse.click(...second);
    await expect.poll(said).toContain("P-47 ");
    await pointAt(first);
    await expect.poll(tip).toContain("P-47 ");
    await page.mouse.click(...second);
    await expectTip(first, "P-3 ");
  });

  test("the wheel scrolls the page until the map is clicked, and then zooms at the pointer", async () => {
    await open(layerMap(table, "STATUS"));
    const place = await middleOf(34);
    await expectTip(place, "P-34 ");
    const [whole, all] = [await bar(), await seen()];
    // It is shown for a moment only.
    await frame.evaluate(`(() => {
      const hint = document.getElementById("hint");
      const look = () => { globalThis.isHinted ||= hint.checkVisibility(); };
      new MutationObserver(look).observe(hint, { attributes: true });
    })()`);
    await page.mouse.wheel(0, 50);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(0);
    await expect.poll(() => frame.evaluate("globalThis.isHinted")).toBe(true);
    expect(await bar()).toBe(whole);
    await page.mouse.wheel(0, -500);
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await expectTip(place, "P-34 ");
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -100);
    await rest(all);
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await bar()).not.toBe(whole);
    await expectTip([place[0] + 1, place[1]], "P-34 ");
    // A square is four times as wide, and its neighbours are where they were on the ground.
    await expectTip([place[0] + 20, place[1]], "P-34 ");
  });

  test("Ctrl and the wheel, buttons and keys zoom, and 0 shows all", async () => {
    await open(layerMap(table, "STATUS"));
    const whole = await seen();
    await expectTip(await middleOf(34), "P-34 ");
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await rest(whole);
    expect((await seen()).slice(1)).not.toEqual(whole.slice(1));
    await frame.locator("#figure").focus();
    await page.keyboard.press("0");
    await expect.poll(seen).toEqual(whole);
    await expect.poll(() => frame.locator("#out").isDisabled()).toBe(true);
    await frame.locator("#in").click();
    await rest(whole);
    const once = await seen();
    await frame.locator("#in").click();
    await rest(once);
    const near = await seen();
    await frame.locator("#home").click();
    await frame.locator("#figure").focus();
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await expect.poll(seen).toEqual(near);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    await expect.poll(seen).toEqual(whole);
    expect(problems).toEqual([]);
  });

  test("dragging pans, and a pinned tip stays with its feature", async () => {
    await open(layerMap(table, "STATUS"));
    const [x, y] = await middleOf(34);
    await expectTip([x, y], "P-34 ");
    const whole = await seen();
    await page.mouse.click(x, y);
    await expect.poll(said).toContain("P-34 ");
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -100);
    await rest(whole);
    await expect.poll(tip).toContain("P-34 ");
    const top = async () => (await frame.locator("#tip").boundingBox())?.y ?? 0;
    const [before, near] = [await top(), await seen()];
    await page.mouse.down();
    await page.mouse.move(x + 260, y + 30, { steps: 6 });
    await page.mouse.up();
    await rest(near);
    await expect.poll(tip).toContain("P-34 ");
    await expect.poll(async () => (await top()) - before).toBeCloseTo(30, -1);
    await page.keyboard.press("Escape");
    await expectTip([x + 261, y + 30], "P-34 ");
    // A square and its gap are four times the 70 pixels that they were.
    await expectTip([x - 20, y + 30], "P-33 ");
  });

  test("clicks of a trembling hand do not move the map, and a release outside ends a drag", async () => {
    await open(layerMap(table, "STATUS"));
    const [x, y] = await middleOf(34);
    for (let click = 0; click < 24; click += 1) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 3, y);
      await page.mouse.up();
    }
    await page.keyboard.press("Escape");
    for (const id of [30, 34, 39]) await expectTip(await middleOf(id), `P-${id} `);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(500, 990, { steps: 3 });
    await page.mouse.up();
    await expectTip(await middleOf(47), "P-47 ");
  });

  test("Tab reaches the map, and arrow keys announce the feature under the cross", async () => {
    await open(layerMap(table, "STATUS"));
    const isInFrame = () => page.evaluate("document.activeElement?.localName === 'iframe'");
    const focused = () => frame.evaluate("document.hasFocus() ? document.activeElement.id || 'body' : ''");
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press("Tab");
      if (!(await isInFrame())) continue;
      // The frame gets the focus after the page, and its element later. The body keeps it if Tab was pressed before the element exists.
      await expect.poll(focused).not.toBe("");
      await frame.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      if ((await focused()) === "figure") break;
    }
    expect(await frame.evaluate("document.activeElement?.id")).toBe("figure");
    const spoken = new Set<string | null>();
    // From the middle, which is between two rows.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowUp");
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press("ArrowRight");
      spoken.add(await said());
    }
    const words = [...spoken].filter(Boolean);
    expect(words.length).toBeGreaterThan(1);
    for (const text of words) expect(rows.some((row) => text === `${row.visible_id}, STATUS ${row.STATUS}`)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(tip).toBe("");
  });

  test("entries of the legend select a value", async () => {
    await open(layerMap(table, "STATUS"));
    const [closed, open_] = [await middleOf(2), await middleOf(0)];
    const entry = frame.locator("[data-entry]", { hasText: "CLOSED" });
    await entry.click();
    await expect.poll(() => entry.getAttribute("aria-pressed")).toBe("true");
    await expectTip(closed, "P-2 ");
    await expectTip(open_, "");
    await entry.press("Enter");
    await expect.poll(() => entry.getAttribute("aria-pressed")).toBe("false");
    await expectTip(open_, "P-0 ");
    expect(problems).toEqual([]);
  });

  test("panes of several dates move together, with separate dates in tips", async () => {
    await open(mapPanels(timed, "STATUS", { tip: ["POWER"] }));
    expect(await canvases().count()).toBe(3);
    for (const [pane, month] of ["2024-01-01", "2024-02-01", "2024-03-01"].entries()) {
      const cells = async () => {
        await pointAt(await middleOf(25, pane));
        return frame.locator("#tip :is(b, th, td)").allTextContents();
      };
      await expect
        .poll(cells)
        .toEqual([`${rows[25]?.visible_id}, ${month}`, "STATUS", 25 < 20 * pane ? "CLOSED" : "OPEN", "POWER", "31.25"]);
    }
    const place = await middleOf(34, 1);
    const others = [await middleOf(34, 0), await middleOf(34, 2)];
    await expectTip(place, "P-34 ");
    const [whole, all] = [await picture(), await seen()];
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -100);
    await rest(all);
    expect((await picture()).every((one, pane) => one !== whole[pane])).toBe(true);
    for (const [pane, other] of others.entries()) {
      await expectTip(other, pane === 0 ? "2024-01-01" : "2024-03-01");
      expect(await tip()).toContain("P-34 ");
    }
    expect(problems).toEqual([]);
  });

  test("the user's marks move with the map", async () => {
    const gate = [11.00034, 48.00034];
    await open(layerMap(table, "STATUS", { marks: [Plot.dot([gate], { r: 5 })] }));
    const dot = frame.locator("circle");
    const at = async () => {
      const box = await dot.boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2, box?.width ?? 0] as const;
    };
    const [x, y, width] = await at();
    await expectTip([x, y], "P-33 ");
    const whole = await seen();
    await page.mouse.click(x + 60, y);
    await page.keyboard.press("Escape");
    await frame.locator("#in").click();
    await rest(whole);
    const [nextX, nextY, nextWidth] = await at();
    expect(Math.hypot(nextX - x, nextY - y)).toBeGreaterThan(20);
    expect(nextWidth).toBeCloseTo(width, 0);
    await expectTip([nextX, nextY], "P-33 ");
  });

  test("is light or dark by the reader's preference", async () => {
    await open(layerMap(table, "STATUS"));
    const basemap = () => frame.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    await expect.poll(basemap).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(basemap).toBe("rgb(21, 25, 29)");
    expect(problems).toEqual([]);
  });
});
