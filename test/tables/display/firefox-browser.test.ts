import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { type Firefox, type FirefoxFrame, findFirefox, startFirefox } from "../../support/firefox.js";
import { everyView, type NamedBundle } from "./every-view.js";
import { pageOf } from "./page-of.js";

const program = findFirefox();
const pictures = join(import.meta.dirname, "../../out/hosts");

/** In a frame: the middle of the first mark, or of the map's canvas. */
const middle = `(() => {
  const { x, y, width, height } = document.querySelector("[data-mark] :is(rect, path), canvas").getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
})()`;

/** In a map's frame: distances of its canvas from the legend and the scale bar. */
const room = `(() => {
  const legend = Math.max(...[...document.querySelectorAll("[data-entry]")].map((entry) => entry.getBoundingClientRect().bottom));
  const canvas = document.querySelector("canvas").getBoundingClientRect();
  const foot = document.querySelector("#stage").getBoundingClientRect().bottom;
  return { above: canvas.top - legend, below: foot - canvas.bottom };
})()`;

describe.runIf(program)("views in Firefox", () => {
  const folder = temporaryFolder();
  let firefox: Firefox;
  let page: FirefoxFrame;
  let views: readonly NamedBundle[];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    views = await everyView();
    writeFileSync(join(folder, "page.html"), pageOf(...views.map(({ bundle }) => bundle)));
    firefox = await startFirefox(program ?? "");
    page = await firefox.open(pathToFileURL(join(folder, "page.html")).href, { width: 1280, height: 4500 });
  });

  afterAll(() => firefox?.close());

  const textOf = (frame: FirefoxFrame, selector: string) =>
    frame.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);

  test("are all live, without errors or requests", async () => {
    await expect.poll(async () => (await page.frames()).length).toBe(views.length);
    for (const frame of await page.frames()) {
      await expect.poll(() => frame.evaluate("document.documentElement.className")).toBe("live");
    }
    writeFileSync(join(pictures, "firefox.png"), await page.screenshot(), "base64");
    expect(firefox.problems).toEqual([]);
  });

  test("show a tooltip in charts and maps", async () => {
    const expected: Readonly<Record<string, RegExp>> = {
      "a chart": /<img src=x[\s\S]*12/,
      "a map": /P-2/,
      "a time map": /P-2/,
    };
    const pointed = new Set<string>();
    for (const [index, frame] of (await page.frames()).entries()) {
      const { kind = "" } = views[index] ?? {};
      const text = expected[kind];
      if (!text) continue;
      const tooltip = async () => {
        const { x, y } = (await frame.evaluate(middle)) as { x: number; y: number };
        await frame.point(x, y);
        return textOf(frame, "#tip");
      };
      await expect.poll(tooltip, { message: kind }).toMatch(text);
      pointed.add(kind);
    }
    expect([...pointed].sort()).toEqual(Object.keys(expected).sort());
  });

  test("have maps between legend and footer", async () => {
    for (const [index, frame] of (await page.frames()).entries()) {
      const { kind = "" } = views[index] ?? {};
      if (!kind.includes("map")) continue;
      const { above, below } = (await frame.evaluate(room)) as { above: number; below: number };
      expect(above, kind).toBeGreaterThanOrEqual(0);
      expect(below, kind).toBeGreaterThan(10);
    }
  });
});
