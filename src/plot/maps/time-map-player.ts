import { createHash } from "node:crypto";

/**
 * The script of a time map. It is the same for every map, so that a page can allow it, and nothing else, by its hash.
 * It reads shapes and frames from its own document, draws on a canvas and sets texts; data never becomes code.
 *
 * Lines of `#shapes` are SVG paths, `L` before lines, empty where there is nothing to draw. Lines of `#frames` are pairs
 * "feature code": all features first, then what changes from date to date. Features count from the one before.
 */
export const timeMapPlayer = `"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const read = (id) => find(id).textContent.split("\\n");
  const { width, height, dates, colours } = JSON.parse(find("facts").textContent);
  const shapes = read("shapes").map((line) => ({ isLine: line[0] === "L", path: new Path2D(line.replace(/^L/, "")) }));
  const frames = read("frames").map((line) => (line === "-" ? [] : line.split(" ").map(Number)));
  const codes = new Uint8Array(shapes.length), counts = new Array(colours.length + 1).fill(0);
  counts[0] = shapes.length;
  const before = [];
  const canvas = find("canvas"), paper = canvas.getContext("2d");
  const ratio = Math.max(2, window.devicePixelRatio || 1);
  canvas.width = width * ratio; canvas.height = height * ratio;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let paints = [], shown = -1;
  const hatching = () => {
    const tile = document.createElement("canvas"); tile.width = tile.height = 12;
    const pen = tile.getContext("2d");
    pen.strokeStyle = dark.matches ? "#98a3ae" : "#5c6670"; pen.lineWidth = 2;
    pen.beginPath(); pen.moveTo(-2, 2); pen.lineTo(2, -2); pen.moveTo(0, 12); pen.lineTo(12, 0);
    pen.moveTo(10, 14); pen.lineTo(14, 10); pen.stroke();
    const pattern = paper.createPattern(tile, "repeat"); pattern.setTransform(new DOMMatrix().scale(0.5)); return pattern;
  };
  const mixPaints = () => { paints = [null, ...colours.map((colour) => colour.startsWith("url(") ? hatching() : colour)]; };
  const draw = (feature) => {
    const paint = paints[codes[feature]], shape = shapes[feature];
    if (!paint) return;
    if (shape.isLine) { paper.strokeStyle = paint; paper.lineWidth = 2.2; paper.stroke(shape.path); }
    else { paper.fillStyle = paint; paper.fill(shape.path, "evenodd"); }
  };
  const drawAll = () => {
    paper.setTransform(ratio, 0, 0, ratio, 0, 0); paper.clearRect(0, 0, width, height);
    for (let feature = 0; feature < shapes.length; feature += 1) draw(feature);
  };
  const set = (feature, code) => { counts[codes[feature]] -= 1; codes[feature] = code; counts[code] += 1; };
  const step = (date, changed) => {
    const frame = frames[date], undo = []; let feature = -1, vanished = false;
    for (let index = 0; index < frame.length; index += 2) {
      feature += frame[index]; undo.push(feature, codes[feature]); changed.push(feature);
      if (frame[index + 1] === 0) vanished = true;
      set(feature, frame[index + 1]);
    }
    before[date] = undo; return vanished;
  };
  const back = (date) => { const undo = before[date]; for (let index = 0; index < undo.length; index += 2) set(undo[index], undo[index + 1]); };
  const slider = find("slider"), label = find("date"), button = find("play");
  const tallies = [...document.querySelectorAll("[data-tally]")];
  const show = (date) => {
    const changed = []; let whole = shown < 0 || date < shown;
    while (shown < date) whole = step(++shown, changed) || whole;
    while (shown > date) back(shown--);
    if (whole) drawAll(); else for (const feature of changed) draw(feature);
    label.textContent = dates[date]; slider.value = String(date); slider.setAttribute("aria-valuetext", dates[date]);
    for (const tally of tallies) tally.textContent = counts[Number(tally.dataset.tally)].toLocaleString("en-US");
  };
  let timer = 0;
  const stop = () => { clearTimeout(timer); timer = 0; button.textContent = "Play"; };
  const tick = () => { if (shown >= dates.length - 1) return stop(); show(shown + 1); timer = setTimeout(tick, Math.max(40, Math.min(600, 12000 / dates.length))); };
  button.onclick = () => { if (timer) return stop(); if (shown >= dates.length - 1) show(0); button.textContent = "Pause"; timer = setTimeout(tick, 200); };
  slider.oninput = () => { stop(); show(Number(slider.value)); };
  dark.onchange = () => { mixPaints(); drawAll(); };
  mixPaints(); document.body.className = "plays"; show(dates.length - 1);
})();
`;

/** The player's hash as a content security policy names it. */
export const timeMapPlayerHash = `sha256-${createHash("sha256").update(timeMapPlayer).digest("base64")}`;
