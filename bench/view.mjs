// How fast maps of many features zoom and tell, in Chromium, and how large they are. Run `npm run bench:view`.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { from } from "arquero";
import { chromium } from "playwright-core";
import { layerMap, timeMap } from "../modules/plot/index.js";
import { toMimeBundle } from "../modules/tables/display/to-mime-bundle.js";
import { xorshift } from "./xorshift.mjs";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const statuses = ["PLANNED", "PILES", "STRUCTURE", "MODULES", "COMMISSIONED"];

/** Tables of a solar park, none quite like another: turned and shifted by centimetres. */
function park(count) {
  const random = xorshift(7);
  const across = Math.ceil(Math.sqrt(2 * count));
  return Array.from({ length: count }, (_, index) => {
    const jitter = () => (random() - 0.5) * 0.000004;
    const [x, y] = [
      -5.98 + (index % across) * 0.00006 + jitter(),
      38.74 + Math.floor(index / across) * 0.00012 + jitter(),
    ];
    const corners = [
      [0, 0],
      [0.00004, 0.00001],
      [0.00004, 0.00009],
      [0, 0.00008],
    ];
    const ring = corners.map(([dx, dy]) => [x + dx + jitter(), y + dy + jitter()]);
    return {
      id: index + 1,
      visible_id: `PT-${String(index + 1).padStart(6, "0")}`,
      STATUS: statuses[Math.floor(5 * random() ** 2)],
      geometry: { type: "Polygon", coordinates: [[...ring, ring[0]]] },
    };
  });
}

/** The same on dates, each table one stage further where its turn has come. */
function parkOverTime(count, dates) {
  const rows = park(count);
  return Array.from({ length: dates }, (_, day) => {
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
    return rows.map((row) => {
      const stage = Math.floor((day / dates) * 6 - (3 * row.id) / count);
      return { ...row, date, STATUS: statuses[Math.max(0, Math.min(4, stage))] };
    });
  }).flat();
}

const maps = [
  ["layerMap of 20,000 polygons", () => layerMap(from(park(20_000)), "STATUS", { order: statuses })],
  [
    "timeMap of 20,000 polygons on 60 dates",
    () => timeMap(from(parkOverTime(20_000, 60)), "STATUS", { order: statuses }),
  ],
  ["layerMap of 200,000 polygons", () => layerMap(from(park(200_000)), "STATUS", { order: statuses })],
];

const folder = mkdtempSync(join(tmpdir(), "siteframe-view-"));
const browser = executablePath ? await chromium.launch({ executablePath, args: ["--no-sandbox"] }) : undefined;
if (!browser) console.log("No Chromium was found: only bytes are measured.");
try {
  for (const [name, draw] of maps) {
    const began = performance.now();
    const bundle = await toMimeBundle(draw());
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const [html, png] = [bundle["text/html"], bundle["image/png"]];
    console.log(`${name}: made in ${seconds} s; HTML ${megabytes(html)}, PNG ${megabytes(png)}`);
    if (browser) await measure(html);
  }
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true });
}

function megabytes(text) {
  return `${(Buffer.byteLength(text) / 1e6).toFixed(2)} MB`;
}

/** Times of frames while the wheel turns, and of the answer to a pointer that moves. */
async function measure(html) {
  const file = join(folder, "map.html");
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><body>${html}</body>`);
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
  const opened = performance.now();
  await page.goto(pathToFileURL(file).href);
  const frame = page.frames()[1];
  await frame.waitForFunction(() => document.documentElement.className === "live");
  const live = performance.now() - opened;
  const box = await frame.locator("canvas").first().boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.keyboard.press("Escape");
  await frame.evaluate(watch);
  for (const turn of [-100, 100]) {
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, turn);
      await page.waitForTimeout(12);
    }
  }
  const zoomed = await frame.evaluate(taken);
  await page.waitForTimeout(600);
  const rest = await frame.evaluate(() => globalThis.longest);
  // Dragged about while it is magnified twice, so that something new comes into view with every frame.
  await frame.locator("#in").click();
  await page.waitForTimeout(600);
  await frame.evaluate(taken);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 120; step += 1) {
    await page.mouse.move(x + 200 * Math.sin(step / 10), y + 150 * Math.sin(step / 7));
    await page.waitForTimeout(12);
  }
  await page.mouse.up();
  const dragged = await frame.evaluate(taken);
  await frame.locator("#home").click();
  await page.waitForTimeout(600);
  const steps = await frame.evaluate(stepThrough);
  const hovers = await frame.evaluate(hover, [box.width, box.height]);
  console.log(
    `  live after ${live.toFixed(0)} ms; zooming: ${framesOf(zoomed)}; drawn anew at rest in ${rest.toFixed(0)} ms\n` +
      `  dragging: ${framesOf(dragged)}; hover: ${quantiles(hovers)} (${hovers.length} places)` +
      `${steps.length > 0 ? `\n  a step of the dates: ${quantiles(steps)} (${steps.length} steps)` : ""}`,
  );
  await page.close();
}

/** What moved, and in how many of its frames it was drawn anew and not shifted. */
function framesOf({ times, drawn }) {
  return `${times.length} frames, ${quantiles(times)}, ${Math.min(100, (100 * drawn) / times.length).toFixed(0)} % drawn anew`;
}

/** In the frame: what has been watched since it was asked last. */
function taken() {
  const { frameTimes: times, drawn } = globalThis;
  Object.assign(globalThis, { frameTimes: [], drawn: 0, longest: 0 });
  return { times, drawn };
}

/** In the frame: how long it takes to show a date, drawn and counted, forwards and back. */
function stepThrough() {
  const slider = document.getElementById("slider");
  if (!slider) return [];
  const canvas = document.querySelector("canvas");
  return Array.from({ length: 60 }, (_, index) => {
    slider.value = String((index * 37) % (Number(slider.max) + 1));
    const began = performance.now();
    slider.dispatchEvent(new Event("input"));
    // Until it is in pixels.
    canvas.getContext("2d").getImageData(0, 0, 1, 1);
    return performance.now() - began;
  });
}

/** In the frame: the time between two frames in which the map moved, and how often it was cleared to be drawn. */
function watch() {
  globalThis.frameTimes = [];
  globalThis.drawn = 0;
  // What is not on the page is drawn on; what is there is copied to.
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function clearAndCount(...box) {
    if (!this.canvas.isConnected) globalThis.drawn += 1;
    return clear.apply(this, box);
  };
  const original = globalThis.requestAnimationFrame.bind(globalThis);
  let last = 0;
  let moved = false;
  for (const name of ["wheel", "pointermove"]) {
    document.getElementById("stage").addEventListener(name, () => {
      moved = true;
    });
  }
  const tick = (time) => {
    if (last && moved) globalThis.frameTimes.push(time - last);
    globalThis.longest = Math.max(globalThis.longest ?? 0, time - last);
    moved = false;
    last = time;
    original(tick);
  };
  original(tick);
}

/** In the frame: how long a handler of a pointer's move takes, at places all over the map. */
function hover([width, height]) {
  const stage = document.getElementById("stage");
  const { left, top } = document.querySelector("canvas").getBoundingClientRect();
  return Array.from({ length: 400 }, (_, index) => {
    const clientX = left + ((index * 0.618034) % 1) * width;
    const clientY = top + ((index * 0.754878) % 1) * height;
    const began = performance.now();
    stage.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
    return performance.now() - began;
  });
}

function quantiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.floor(share * sorted.length)] ?? Number.NaN).toFixed(1);
  return `median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`;
}
