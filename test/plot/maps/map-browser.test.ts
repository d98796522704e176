import { from } from "arquero";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Figure, layerMap, mapAt, Plot, type TimeMap } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../../support/browser.js";
import { openBrowser } from "../../support/open-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";

const browserPath = findBrowser();
const across = 10;
const hostile = [
  '<img src=x onerror="top.hacked=1">',
  "</script><script>top.hacked=1</script>",
  "a]]>b\u2028c",
  "'\"&amp;",
];

/** Squares with gaps, in rows of ten from the south-west; names and values are full of markup. */
const rows = Array.from({ length: 60 }, (_, id) => {
  const [x, y] = [11 + (id % across) * 0.0001, 48 + Math.floor(id / across) * 0.0001];
  const ring = [
    [x, y],
    [x + 0.00008, y],
    [x + 0.00008, y + 0.00008],
    [x, y + 0.00008],
    [x, y],
  ];
  return {
    id,
    visible_id: `P-${id} ${hostile[id % hostile.length]}`,
    STATUS: ["OPEN", hostile[0], "CLOSED"][id % 3],
    POWER: id * 1.25,
    geometry: { type: "Polygon", coordinates: [ring] },
  };
});
const table = from(rows);
const timed = from(
  ["2024-01-01", "2024-02-01", "2024-03-01"].flatMap((date, month) =>
    rows.map((row) => ({ ...row, date, STATUS: row.id < 20 * month ? "CLOSED" : "OPEN" })),
  ),
);

describe.runIf(browserPath)("a map in a browser", () => {
  let browser: Browser;
  let page: Page;
  let frame: Frame;
  let problems: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  /** Shows a map in a notebook page, below which there is more to scroll to. */
  async function open(figure: Figure | TimeMap): Promise<void> {
    const data = await toMimeBundle(figure);
    problems = [];
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1100, height: 1000 } });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!/^(data|about):/.test(request.url())) problems.push(request.url());
    });
    await page.setContent(`${pageOf(data)}<div style="height:2000px">`);
    const found = page.frames()[1];
    if (!found) throw new Error("no frame");
    frame = found;
    await frame.locator("html.live").waitFor({ state: "attached" });
    await frame.locator("#figure").scrollIntoViewIfNeeded();
    await untilPointed(page, frame);
  }

  const canvases = () => frame.locator("canvas:not(.above)");
  /** What is told; empty where nothing is. */
  const tip = () => frame.locator("#tip:not([hidden])").allInnerTexts().then(String);
  const bar = () =>
    frame
      .locator("[data-bar]")
      .first()
      .evaluate((path) => path.nextElementSibling?.textContent ?? "");
  const said = () => frame.locator("#said").textContent();

  /** Where the middle of a square is on the page, at the map's first view. The squares span the map's inset. */
  async function middleOf(id: number, pane = 0): Promise<readonly [number, number]> {
    const drawn = await extent(pane);
    const [x, y] = [(id % across) * 0.0001 + 0.00004, Math.floor(id / across) * 0.0001 + 0.00004];
    return [drawn.left + (x / 0.00098) * drawn.width, drawn.bottom - (y / 0.00058) * drawn.height];
  }

  /** The box of what is painted on a pane, in pixels of the page. */
  async function extent(pane: number) {
    const canvas = canvases().nth(pane);
    const box = await canvas.boundingBox();
    const inked = (await canvas.evaluate(inkedBox)) as readonly [number, number, number, number];
    if (!box) throw new Error("no canvas");
    const [left, top, right, bottom] = inked;
    return {
      left: box.x + left * box.width,
      width: (right - left) * box.width,
      bottom: box.y + bottom * box.height,
      height: (bottom - top) * box.height,
    };
  }

  const painted = () =>
    frame.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

  async function pointAt([x, y]: readonly [number, number]): Promise<void> {
    await page.mouse.move(x, y - 1);
    await page.mouse.move(x, y);
    await painted();
  }

  /** Points at a place until it tells what it should: the browser may not have painted what it points at. */
  async function expectTold(place: readonly [number, number], text: string): Promise<void> {
    const told = async () => {
      await pointAt(place);
      return tip();
    };
    if (text === "") await expect.poll(told).toBe("");
    else await expect.poll(told).toContain(text);
  }

  /** How the map is magnified, by its scale bar and what is painted of it. */
  const picture = () =>
    canvases().evaluateAll((all) => all.map((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL()));
  /** Until the map has come to rest: it is the same for a while, and is another than it was, if that is given. */
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

  test("tips say what the table says, and markup in it is text", async () => {
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

  test("a click pins a tip until the next, and says it; another on the same lets go", async () => {
    await open(layerMap(table, "STATUS"));
    const [first, second] = [await middleOf(3), await middleOf(47)];
    await expectTold(first, "P-3 ");
    await page.mouse.click(...first);
    await expect.poll(said).toContain("P-3 ");
    await pointAt(second);
    await expect.poll(tip).toContain("P-3 ");
    await page.mouse.click(...second);
    await expect.poll(said).toContain("P-47 ");
    await pointAt(first);
    await expect.poll(tip).toContain("P-47 ");
    await page.mouse.click(...second);
    await expectTold(first, "P-3 ");
  });

  test("the wheel scrolls the page until the map is clicked, and magnifies what is under the pointer from then on", async () => {
    await open(layerMap(table, "STATUS"));
    const place = await middleOf(34);
    await expectTold(place, "P-34 ");
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
    await expectTold(place, "P-34 ");
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -100);
    await rest(all);
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await bar()).not.toBe(whole);
    await expectTold([place[0] + 1, place[1]], "P-34 ");
    // A square is four times as wide, and its neighbours are where they were on the ground.
    await expectTold([place[0] + 20, place[1]], "P-34 ");
  });

  test("with Ctrl the wheel magnifies at once; buttons and keys do, and 0 shows all", async () => {
    await open(layerMap(table, "STATUS"));
    const whole = await seen();
    await expectTold(await middleOf(34), "P-34 ");
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

  test("dragging pans, and what is pinned stays with its feature", async () => {
    await open(layerMap(table, "STATUS"));
    const [x, y] = await middleOf(34);
    await expectTold([x, y], "P-34 ");
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
    await expectTold([x + 261, y + 30], "P-34 ");
    // A square and its gap are four times the 70 pixels that they were.
    await expectTold([x - 20, y + 30], "P-33 ");
  });

  test("clicks of a hand that trembles move nothing, and what is let go outside is not held", async () => {
    await open(layerMap(table, "STATUS"));
    const [x, y] = await middleOf(34);
    for (let click = 0; click < 24; click += 1) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 3, y);
      await page.mouse.up();
    }
    await page.keyboard.press("Escape");
    for (const id of [30, 34, 39]) await expectTold(await middleOf(id), `P-${id} `);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(500, 990, { steps: 3 });
    await page.mouse.up();
    await expectTold(await middleOf(47), "P-47 ");
  });

  test("with the keyboard alone: Tab comes to the map, arrows tell what is below the cross", async () => {
    await open(layerMap(table, "STATUS"));
    const isInFrame = () => page.evaluate("document.activeElement?.localName === 'iframe'");
    const focused = () => frame.evaluate("document.hasFocus() ? document.activeElement.id || 'body' : ''");
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press("Tab");
      if (!(await isInFrame())) continue;
      // The frame gets the focus a moment after the page, and its element a moment later. It stays with the body if the Tab came
      // before there was an element.
      await expect.poll(focused).not.toBe("");
      await frame.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      if ((await focused()) === "figure") break;
    }
    expect(await frame.evaluate("document.activeElement?.id")).toBe("figure");
    const told = new Set<string | null>();
    // From the middle, which is between two rows.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowUp");
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press("ArrowRight");
      told.add(await said());
    }
    const words = [...told].filter(Boolean);
    expect(words.length).toBeGreaterThan(1);
    for (const text of words) expect(rows.some((row) => text === `${row.visible_id}, STATUS ${row.STATUS}`)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(tip).toBe("");
  });

  test("entries of the legend single a value out", async () => {
    await open(layerMap(table, "STATUS"));
    const [closed, open_] = [await middleOf(2), await middleOf(0)];
    const entry = frame.locator("[data-entry]", { hasText: "CLOSED" });
    await entry.click();
    await expect.poll(() => entry.getAttribute("aria-pressed")).toBe("true");
    await expectTold(closed, "P-2 ");
    await expectTold(open_, "");
    await entry.press("Enter");
    await expect.poll(() => entry.getAttribute("aria-pressed")).toBe("false");
    await expectTold(open_, "P-0 ");
    expect(problems).toEqual([]);
  });

  test("panes of several dates move together, and each tells its own date", async () => {
    await open(mapAt(timed, "STATUS", { tip: ["POWER"] }));
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
    await expectTold(place, "P-34 ");
    const [whole, all] = [await picture(), await seen()];
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -100);
    await rest(all);
    expect((await picture()).every((one, pane) => one !== whole[pane])).toBe(true);
    for (const [pane, other] of others.entries()) {
      await expectTold(other, pane === 0 ? "2024-01-01" : "2024-03-01");
      expect(await tip()).toContain("P-34 ");
    }
    expect(problems).toEqual([]);
  });

  test("marks of the user's move with the map", async () => {
    const gate = [11.00034, 48.00034];
    await open(layerMap(table, "STATUS", { marks: [Plot.dot([gate], { r: 5 })] }));
    const dot = frame.locator("circle");
    const at = async () => {
      const box = await dot.boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2, box?.width ?? 0] as const;
    };
    const [x, y, width] = await at();
    await expectTold([x, y], "P-33 ");
    const whole = await seen();
    await page.mouse.click(x + 60, y);
    await page.keyboard.press("Escape");
    await frame.locator("#in").click();
    await rest(whole);
    const [nextX, nextY, nextWidth] = await at();
    expect(Math.hypot(nextX - x, nextY - y)).toBeGreaterThan(20);
    expect(nextWidth).toBeCloseTo(width, 0);
    await expectTold([nextX, nextY], "P-33 ");
  });

  test("light or dark as the reader prefers", async () => {
    await open(layerMap(table, "STATUS"));
    const ground = () => frame.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    await expect.poll(ground).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(ground).toBe("rgb(21, 25, 29)");
    expect(problems).toEqual([]);
  });
});

/** In the page: the box of what is painted on a canvas, in shares of its sides. */
function inkedBox(canvas: unknown): readonly number[] {
  const { width, height, getContext } = canvas as {
    width: number;
    height: number;
    getContext(kind: string): { getImageData(...box: number[]): { data: Uint8Array } };
  };
  const { data } = getContext.call(canvas, "2d").getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[4 * (y * width + x) + 3] ?? 0) < 200) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
    }
  }
  return [left / width, top / height, right / width, bottom / height];
}
