import { from } from "arquero";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Figure, layerMap, mapAt, Plot, type TimeMap } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/view/to-mime-bundle.js";
import { findBrowser } from "../../support/browser.js";
import { pageOf } from "../../view/page-of.js";

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
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  }, 60_000);

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
    await frame.waitForFunction("document.documentElement.className === 'live'");
    await frame.locator("#figure").scrollIntoViewIfNeeded();
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

  async function pointAt([x, y]: readonly [number, number]): Promise<void> {
    await page.mouse.move(x, y);
    await frame.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }

  /** How the map is magnified, by its scale bar and what is painted of it. */
  const picture = () =>
    canvases().evaluateAll((all) => all.map((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL()));
  /** Until the map has come to rest. */
  const rest = () => page.waitForTimeout(200);

  test("tips say what the table says, and markup in it is text", async () => {
    await open(layerMap(table, "STATUS", { tip: ["POWER"] }));
    for (const id of [0, 1, 2, 9, 10, 23, 34, 45, 58, 59]) {
      await pointAt(await middleOf(id));
      const { visible_id, STATUS, POWER } = rows[id] ?? rows[0] ?? { visible_id: "", STATUS: "", POWER: 0 };
      const cells = await frame.locator("#tip :is(b, th, td)").allTextContents();
      expect(cells).toEqual([visible_id, "STATUS", STATUS, "POWER", String(POWER)]);
    }
    const below = await frame.locator("#figure").boundingBox();
    await page.mouse.move(500, (below?.y ?? 0) + (below?.height ?? 0) + 60, { steps: 3 });
    await expect.poll(tip).toBe("");
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
    expect(await frame.locator("img, body script[src]").count()).toBe(0);
    expect(problems).toEqual([]);
  }, 60_000);

  test("a click pins a tip until the next, and says it", async () => {
    await open(layerMap(table, "STATUS"));
    const [first, second] = [await middleOf(3), await middleOf(47)];
    await page.mouse.click(...first);
    expect(await said()).toContain("P-3 ");
    await pointAt(second);
    expect(await tip()).toContain("P-3 ");
    await page.mouse.click(...second);
    expect(await said()).toContain("P-47 ");
    await pointAt(first);
    expect(await tip()).toContain("P-3 ");
  }, 60_000);

  test("the wheel scrolls the page until the map is clicked, and magnifies what is under the pointer from then on", async () => {
    await open(layerMap(table, "STATUS"));
    const place = await middleOf(34);
    await pointAt(place);
    const whole = await bar();
    await page.mouse.wheel(0, 50);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(0);
    expect(await bar()).toBe(whole);
    expect(await frame.locator("#hint").isVisible()).toBe(true);
    await page.mouse.wheel(0, -500);
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -100);
    await rest();
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await bar()).not.toBe(whole);
    await pointAt([place[0] + 1, place[1]]);
    expect(await tip()).toContain("P-34 ");
    // A square is four times as wide, and its neighbours are where they were on the ground.
    await pointAt([place[0] + 20, place[1]]);
    expect(await tip()).toContain("P-34 ");
  }, 60_000);

  test("with Ctrl the wheel magnifies at once; buttons and keys do, and 0 shows all", async () => {
    await open(layerMap(table, "STATUS"));
    const whole = [await bar(), ...(await picture())];
    await pointAt(await middleOf(34));
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await rest();
    expect(await picture()).not.toEqual(whole.slice(1));
    await frame.locator("#figure").focus();
    await page.keyboard.press("0");
    await rest();
    expect([await bar(), ...(await picture())]).toEqual(whole);
    expect(await frame.locator("#out").isDisabled()).toBe(true);
    await frame.locator("#in").click();
    await frame.locator("#in").click();
    await rest();
    const near = [await bar(), ...(await picture())];
    expect(near).not.toEqual(whole);
    await frame.locator("#home").click();
    await frame.locator("#figure").focus();
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await rest();
    expect([await bar(), ...(await picture())]).toEqual(near);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    await rest();
    expect([await bar(), ...(await picture())]).toEqual(whole);
    expect(problems).toEqual([]);
  }, 60_000);

  test("dragging pans, and what is pinned stays with its feature", async () => {
    await open(layerMap(table, "STATUS"));
    const [x, y] = await middleOf(34);
    await page.mouse.click(x, y);
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -100);
    await rest();
    expect(await tip()).toContain("P-34 ");
    const before = await frame.locator("#tip").boundingBox();
    await page.mouse.down();
    await page.mouse.move(x + 260, y + 30, { steps: 6 });
    await page.mouse.up();
    await rest();
    const after = await frame.locator("#tip").boundingBox();
    expect(await tip()).toContain("P-34 ");
    expect((after?.y ?? 0) - (before?.y ?? 0)).toBeCloseTo(30, -1);
    await page.keyboard.press("Escape");
    await pointAt([x + 261, y + 30]);
    expect(await tip()).toContain("P-34 ");
    // A square and its gap are four times the 70 pixels that they were.
    await pointAt([x - 20, y + 30]);
    expect(await tip()).toContain("P-33 ");
  }, 60_000);

  test("with the keyboard alone: Tab comes to the map, arrows tell what is below the cross", async () => {
    await open(layerMap(table, "STATUS"));
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press("Tab");
      if (await frame.evaluate("document.activeElement?.id === 'figure' && document.hasFocus()")) break;
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
    expect(await tip()).toBe("");
  }, 60_000);

  test("entries of the legend single a value out", async () => {
    await open(layerMap(table, "STATUS"));
    const [closed, open_] = [await middleOf(2), await middleOf(0)];
    const entry = frame.locator("[data-entry]", { hasText: "CLOSED" });
    await entry.click();
    expect(await entry.getAttribute("aria-pressed")).toBe("true");
    await pointAt(closed);
    expect(await tip()).toContain("P-2 ");
    await pointAt(open_);
    expect(await tip()).toBe("");
    await entry.press("Enter");
    expect(await entry.getAttribute("aria-pressed")).toBe("false");
    await pointAt(open_);
    expect(await tip()).toContain("P-0 ");
    expect(problems).toEqual([]);
  }, 60_000);

  test("panes of several dates move together, and each tells its own date", async () => {
    await open(mapAt(timed, "STATUS", { tip: ["POWER"] }));
    expect(await canvases().count()).toBe(3);
    for (const [pane, month] of ["2024-01-01", "2024-02-01", "2024-03-01"].entries()) {
      await pointAt(await middleOf(25, pane));
      const cells = await frame.locator("#tip :is(b, th, td)").allTextContents();
      expect(cells).toEqual([
        `${rows[25]?.visible_id}, ${month}`,
        "STATUS",
        25 < 20 * pane ? "CLOSED" : "OPEN",
        "POWER",
        "31.25",
      ]);
    }
    const place = await middleOf(34, 1);
    const others = [await middleOf(34, 0), await middleOf(34, 2)];
    const whole = await picture();
    await page.mouse.click(...place);
    await page.keyboard.press("Escape");
    for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -100);
    await rest();
    expect((await picture()).every((one, pane) => one !== whole[pane])).toBe(true);
    for (const [pane, other] of others.entries()) {
      await pointAt(other);
      expect(await tip()).toContain("P-34 ");
      expect(await tip()).toContain(pane === 0 ? "2024-01-01" : "2024-03-01");
    }
    expect(problems).toEqual([]);
  }, 60_000);

  test("marks of the user's move with the map", async () => {
    const gate = [11.00034, 48.00034];
    await open(layerMap(table, "STATUS", { marks: [Plot.dot([gate], { r: 5 })] }));
    const dot = frame.locator("circle");
    const at = async () => {
      const box = await dot.boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2, box?.width ?? 0] as const;
    };
    const [x, y, width] = await at();
    await pointAt([x, y]);
    expect(await tip()).toContain("P-33 ");
    await page.mouse.click(x + 60, y);
    await page.keyboard.press("Escape");
    await frame.locator("#in").click();
    await rest();
    const [nextX, nextY, nextWidth] = await at();
    expect(Math.hypot(nextX - x, nextY - y)).toBeGreaterThan(20);
    expect(nextWidth).toBeCloseTo(width, 0);
    await pointAt([nextX, nextY]);
    expect(await tip()).toContain("P-33 ");
  }, 60_000);

  test("light or dark as the reader prefers", async () => {
    await open(layerMap(table, "STATUS"));
    const ground = () => frame.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    expect(await ground()).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).toBe("rgb(21, 25, 29)");
    expect(problems).toEqual([]);
  }, 60_000);
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
