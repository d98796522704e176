import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, FrameLocator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { History } from "../../../src/index.js";
import { loadBasemap, type MapPanelsOptions, mapPanels } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findBrowser } from "../../support/browser.js";
import { useBrowser } from "../../support/use-browser.js";
import { pageOf } from "../../tables/display/page-of.js";
import { untilPointed } from "../../tables/display/until-pointed.js";
import { decodePng } from "../png/decode-png.js";
import { png } from "./made-basemap.js";
import { corner, solarHistory } from "./solar-site.js";

const browserPath = findBrowser();
const dates = ["2024-02-10", "2024-04-01"];

describe.runIf(browserPath)("the background of maps in a browser", () => {
  const openPage = useBrowser();
  const folder = temporaryFolder();
  let page: Page;
  let frame: FrameLocator;
  let history: History;
  let problems: readonly string[];

  beforeAll(async () => {
    history = await solarHistory();
  });

  async function open(options: MapPanelsOptions, context: BrowserContextOptions = {}): Promise<void> {
    const bundle = await toMimeBundle(mapPanels(history, "STATUS", { dates, ...options }));
    const file = join(folder, "map.html");
    writeFileSync(file, pageOf({ "text/html": bundle["text/html"] }));
    await page?.close();
    ({ page, problems } = await openPage({ viewport: { width: 1100, height: 800 }, ...context }));
    await page.goto(`file://${file}`);
    frame = page.frameLocator("iframe");
  }

  /** The colour of a place on the page. */
  async function colourAt(x: number, y: number): Promise<readonly number[]> {
    const clip = { x: Math.round(x) - 1, y: Math.round(y) - 1, width: 3, height: 3 };
    return decodePng(await page.screenshot({ clip }))
      .at(1, 1)
      .slice(0, 3);
  }

  const boxOf = async (selector: string, at = 0) => {
    const box = await frame.locator(selector).nth(at).boundingBox();
    if (!box) throw new Error(`${selector} is not there.`);
    return box;
  };

  test("pictures are below the features, paler than the original, and load nothing", async () => {
    const bounds = [corner[0] - 0.01, corner[1] - 0.01, corner[0] + 0.02, corner[1] + 0.02] as const;
    const basemap = await loadBasemap(history, { image: await png(30, 30, () => [200, 0, 0]), bounds });
    await open({ basemap });
    await frame.locator("html.live").waitFor();
    const { x, y, width } = await boxOf("canvas");
    const pale = [221, 97, 97].map((value) => expect.closeTo(value, -1));
    await expect.poll(() => colourAt(x + width / 2, y + 4)).toEqual(pale);
    await frame.locator("#in").click();
    await expect.poll(() => colourAt(x + width / 2, y + 4)).toEqual(pale);
    expect(problems).toEqual([]);
  });

  /** Name and date in the tip of the feature at a share of the map's width, in the second row from below. */
  async function nameAt(share: number): Promise<string> {
    const { x, y, width, height } = await boxOf("canvas");
    await page.mouse.move(x + width * share, y + height * 0.1);
    await page.mouse.move(x + width * share, y + height * 0.889);
    return (await frame.locator("#tip b").allTextContents()).join();
  }

  test("a divider separates two dates, and follows the pointer and the keys", async () => {
    await open({ swipe: true });
    await frame.locator("html.live").waitFor();
    await untilPointed(page, frame);
    const divider = frame.locator("#divider");
    expect(await divider.getAttribute("role")).toBe("slider");
    expect(await divider.getAttribute("aria-valuenow")).toBe("50");
    expect(await divider.locator("b").allTextContents()).toEqual(dates);
    await expect.poll(() => nameAt(0.44)).toMatch(/, 2024-02-10$/);
    await expect.poll(() => nameAt(0.56)).toMatch(/, 2024-04-01$/);
    const { x, width } = await boxOf("canvas");
    const grip = await boxOf("#divider");
    await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 0.2 * width, grip.y + 60, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => Number(await divider.getAttribute("aria-valuenow"))).toBeCloseTo(20, -0.5);
    await expect.poll(() => nameAt(0.44)).toMatch(/, 2024-04-01$/);
    await divider.focus();
    await page.keyboard.press("End");
    expect(await divider.getAttribute("aria-valuenow")).toBe("100");
    await expect.poll(() => nameAt(0.56)).toMatch(/, 2024-02-10$/);
    await page.keyboard.press("ArrowLeft");
    expect(await divider.getAttribute("aria-valuenow")).toBe("95");
    expect(await divider.getAttribute("aria-valuetext")).toBe("2024-02-10 left of 95%, 2024-04-01 right of it");
    await page.keyboard.press("Home");
    await page.keyboard.press("PageUp");
    expect(await divider.getAttribute("aria-valuenow")).toBe("20");
    expect(problems).toEqual([]);
  });

  test("a finger moves the divider on a narrow page, and it keeps its place when the map is zoomed", async () => {
    await open({ swipe: true }, { viewport: { width: 400, height: 800 }, hasTouch: true });
    await frame.locator("html.live").waitFor();
    await untilPointed(page, frame);
    const { x, width } = await boxOf("canvas");
    const grip = await boxOf("#divider");
    const session = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", at: number) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x: at, y: grip.y + grip.height / 2 }],
      });
    const divider = frame.locator("#divider");
    const moved = async () => {
      await touch("touchStart", grip.x + grip.width / 2);
      await touch("touchMove", x + 0.6 * width);
      await touch("touchMove", x + 0.75 * width);
      await touch("touchEnd", 0);
      return Number(await divider.getAttribute("aria-valuenow"));
    };
    // The page gets the touches until the browser has painted the frame.
    await expect.poll(moved).toBeCloseTo(75, -0.5);
    // A date without room is hidden, not cut.
    await expect.poll(() => divider.locator("b").nth(1).isVisible()).toBe(false);
    expect(await divider.locator("b").nth(0).isVisible()).toBe(true);
    await divider.press("Home");
    expect(await divider.locator("b").nth(0).isVisible()).toBe(false);
    expect(await divider.locator("b").nth(1).isVisible()).toBe(true);
    for (let step = 0; step < 15; step += 1) await divider.press("ArrowRight");
    await frame.locator("#in").click();
    expect(Number(await divider.getAttribute("aria-valuenow"))).toBeCloseTo(75, -0.5);
    expect(problems).toEqual([]);
  });

  test("without scripts both dates are next to each other", async () => {
    await open({ swipe: true }, { javaScriptEnabled: false });
    const still = page.locator(".siteframe-view img");
    const { width, height } = (await still.boundingBox()) ?? { width: 0, height: 0 };
    expect(width).toBeGreaterThan(1.2 * height);
    const svg = mapPanels(history, "STATUS", { dates, swipe: true }).toSVG();
    expect([...svg.matchAll(/>(2024-\d\d-\d\d)</g)].map(([, date]) => date)).toEqual(dates);
  });
});

test("a divider needs two dates", async () => {
  const history = await solarHistory();
  expect(() => mapPanels(history, "STATUS", { dates: ["2024-02-10"], swipe: true })).toThrow(
    "swipe needs two dates, got 1",
  );
});
