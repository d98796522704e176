// Decorations around and on a map: the legend, the scale bars, and the user's marks.
import { formatScale } from "../../core/format/format-geometry.js";
import { niceAtMost } from "../../core/nice-number.js";
import type { MapFormPayload, MapPayload } from "../../tables/display/live/map-payload.js";
import { many, svgElement } from "../page/elements.js";
import { legendButtons } from "../page/legend.js";

export interface MapDecorations {
  /** The drawing that contains them. */
  readonly chart: SVGSVGElement;
  /** Indices of the selected labels; empty for all. */
  readonly chosen: ReadonlySet<number>;
  /** Selects labels by index. */
  choose(labels: readonly number[]): void;
  /** Counts by 1 + index of the label, for the legend. */
  count(counts: readonly number[]): void;
  /** Follows the map: its magnification, and the position of its corner. */
  follow(zoom: number, x: number, y: number): void;
}

/** @param onChoice called when a value of the legend is selected */
export function mapDecorations(
  stage: HTMLElement,
  payload: MapPayload,
  form: MapFormPayload,
  onChoice: () => void,
): MapDecorations {
  const bars = stage.querySelector('[aria-label="scale bar and north arrow"]') as SVGGElement;
  const chart = bars.closest("svg") as SVGSVGElement;
  const followBars = scaleBars(chart, form);
  const followMarks = marksOnTop(chart, bars, form, payload.swipe ? 1 : form.panes.length);
  return {
    chart,
    ...legend(stage, payload, onChoice),
    follow: (zoom, x, y) => {
      followBars(zoom);
      followMarks(zoom, x, y);
    },
  };
}

/** The scale bars follow the zoom. */
function scaleBars(chart: SVGSVGElement, { metres, panes: [pane] }: MapFormPayload) {
  const bars = [...chart.querySelectorAll<SVGPathElement>("[data-bar]")].map((path) => {
    const [, ...numbers] = /^M(\S+),(\S+)v5h(\S+)v-5$/.exec(path.getAttribute("d") as string) as RegExpExecArray;
    const [start, y, length] = numbers.map(Number) as [number, number, number];
    return { path, text: path.nextElementSibling as SVGTextElement, start, y, end: start + length };
  });
  return (zoom: number) => {
    const perMetre = zoom / metres;
    const most = (pane?.width as number) / 4 / perMetre;
    const bar = niceAtMost(most);
    const length = bar * perMetre;
    for (const { path, text, start, y, end } of bars) {
      const from = path.dataset["bar"] === "corner" ? end - length : start;
      path.setAttribute("d", `M${from.toFixed(1)},${y}v5h${length.toFixed(1)}v-5`);
      text.setAttribute("x", (from + length + 6).toFixed(1));
      text.textContent = formatScale(bar);
    }
  };
}

/** The user's marks on top move with the map; their lines, dots and text keep their size. */
function marksOnTop(
  chart: SVGSVGElement,
  bars: Element,
  { panes, origin: [left, top] }: MapFormPayload,
  count: number,
) {
  const marks: SVGElement[] = [];
  for (let mark = bars.nextElementSibling; mark; mark = bars.nextElementSibling) {
    marks.push(mark as SVGElement);
    mark.remove();
  }
  const [pane] = panes;
  const clip = svgElement("clipPath", { id: "pane" });
  clip.append(svgElement("rect", { x: left, y: top, width: pane?.width, height: pane?.height }));
  const group = svgElement("g", {});
  chart.append(clip, group);
  group.append(...marks);
  const moved = count > 1 ? marks.flatMap((mark) => [...mark.children] as SVGElement[]) : marks;
  const known = moved.map((mark) => ({
    mark,
    own: mark.getAttribute("transform") ?? "",
    font: Number.parseFloat(getComputedStyle(mark).fontSize),
  }));
  for (const shape of group.querySelectorAll<SVGElement>("*")) shape.style.vectorEffect = "non-scaling-stroke";
  const dots = [...group.querySelectorAll("circle")].map((dot) => ({ dot, r: Number(dot.getAttribute("r")) }));
  return (zoom: number, x: number, y: number) => {
    if (zoom > 1 && count === 1) group.setAttribute("clip-path", "url(#pane)");
    else group.removeAttribute("clip-path");
    for (const { mark, own, font } of known) {
      mark.setAttribute(
        "transform",
        `${own} translate(${left + x},${top + y}) scale(${zoom}) translate(${-left},${-top})`,
      );
      mark.style.fontSize = `${font / zoom}px`;
    }
    for (const { dot, r } of dots) dot.setAttribute("r", String(r / zoom));
  };
}

/** Entries that select a value and count it. */
function legend(stage: HTMLElement, { entries, labels }: MapPayload, onChoice: () => void) {
  const groups = [...stage.querySelectorAll<SVGGraphicsElement>("[data-entry]")];
  const shown = groups.length === entries.length ? groups : [];
  const known = shown
    .map((entry, place) => ({ entry, key: labels.indexOf(entries[place] as string) }))
    .filter(({ key }) => key >= 0);
  const buttons = legendButtons(known, onChoice);
  const count = (counts: readonly number[]) => {
    for (const { entry, key } of known) {
      const text = entry.querySelector("text");
      if (text) text.textContent = `${labels[key]} ${many(counts[key + 1] as number)}`;
    }
  };
  return { ...buttons, count };
}
