// Tooltips of a chart. The script reads the data of marks from its own document and only sets text; data never becomes
// code.
import type { CellMatch, TooltipChannel, TooltipMark } from "../../tables/display/live/chart-payload.js";
import type { IsApart, Selection } from "../../tables/display/live/frame-link.js";
import { chooseDrawing } from "../page/choose-drawing.js";
import { clamp } from "../page/clamp.js";
import { find, make, on, readPayload, setAttributes, svgElement } from "../page/elements.js";
import { legendButtons } from "../page/legend.js";
import { placeTooltip, tooltipLine } from "../page/tooltip.js";
import { openSelectionLine, type SelectionLine } from "../selection/selection.js";
import {
  type CurvePart,
  chartTooltip,
  type MarkRow,
  nearestFacet,
  placeText,
  seriesOf,
  spokenText,
  type TooltipLine,
  thingText,
} from "./chart-tooltip.js";

const REACH = 40;
/** Pixels from a point next to curves. */
const NEAR = 9;
const OUTLINE = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-opacity": 1 };

/** Targets by which keys move. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

/** A mark and its elements in the page. */
interface DrawnMark extends TooltipMark {
  readonly group: SVGGElement;
  readonly children: readonly SVGGraphicsElement[];
  readonly length: number;
}

/** A target of the pointer. */
interface Thing extends MarkRow<DrawnMark> {
  readonly x: number;
  readonly y: number;
  /** Edges of a box. */
  readonly box?: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  /** Element of a shape. */
  readonly child?: SVGGraphicsElement;
}

/** A position along x with all curves that pass it. */
interface Column {
  readonly x: number;
}

type Stop = Thing | Column;

const colourOf = ({ series }: DrawnMark, row: number) => series?.colours[series.codes[row] as number];
const textOf = ({ codes, texts }: TooltipChannel, row: number) => texts[codes[row] as number] as string;
/** The cell of a table at the position, if known. */
const cellOf = (channel: TooltipChannel, row: number): CellMatch | undefined =>
  channel.is ? channel.is[channel.codes[row] as number] : textOf(channel, row);
const columnOf = ({ column, label }: TooltipChannel) => column ?? label;
const rowOf = (mark: DrawnMark, child: number) => (mark.rows ? (mark.rows[child] as number) : child);

function thingsOf(mark: DrawnMark): readonly Thing[] {
  const { kind, x = [], y = [], x2 = [], y2 = [] } = mark;
  if (kind === "path") return [];
  if (kind === "shape") {
    return mark.children.flatMap((child, index) => {
      const row = rowOf(mark, index);
      if (row < 0 || !("getBBox" in child)) return [];
      const { x, y, width, height } = child.getBBox();
      return [{ mark, row, x: x + width / 2, y: y + height / 2, child }];
    });
  }
  const edges = (from: number | undefined, to: number | undefined) =>
    [from, to].sort((a, b) => (a as number) - (b as number)) as [number, number];
  return Array.from({ length: mark.length }, (_, row) => {
    if (kind === "dot") return { mark, row, x: x[row] as number, y: y[row] as number };
    const [[left, right], [top, bottom]] = [edges(x[row], x2[row]), edges(y[row], y2[row])];
    return { mark, row, x: (left + right) / 2, y: (top + bottom) / 2, box: { left, right, top, bottom } };
  });
}

/** The curve under the pointer, if there are several. */
function nearestLine(lines: readonly TooltipLine<DrawnMark>[], y: number): TooltipLine<DrawnMark> | undefined {
  let near: TooltipLine<DrawnMark> | undefined;
  let gap = Infinity;
  for (const one of lines) {
    const below = y - (one.mark.y?.[one.row] as number);
    if (below >= -3 && below < gap) [near, gap] = [one, below];
  }
  return lines.length > 1 ? near : undefined;
}

function tableOf(lines: readonly TooltipLine<DrawnMark>[], near: TooltipLine<DrawnMark> | undefined): HTMLTableElement {
  const rows = lines.map((one) => {
    const { label, text, mark, row, isColoured } = one;
    const shown = tooltipLine(label || text, label ? text : "", isColoured ? colourOf(mark, row) : undefined);
    if (one === near) shown.className = "near";
    return shown;
  });
  return make("table", {}, ...rows);
}

/** Whether a mark is outside the selection, as far as its channels show. */
function isOutside({ mark, row }: MarkRow<DrawnMark>, selected: IsApart | undefined): boolean {
  return mark.channels.some((channel) => {
    const cell = cellOf(channel, row);
    // A curve contains many numbers.
    const isKnown = cell !== undefined && (mark.kind !== "path" || typeof cell === "string");
    return isKnown && selected?.(columnOf(channel), cell);
  });
}

type IsFaded = (part: MarkRow<DrawnMark>) => unknown;

/** Fades the marks of other series, and those outside the selection. */
function fadeMarks(marks: readonly DrawnMark[], isFaded: IsFaded, selected: IsApart | undefined): void {
  for (const mark of marks) {
    for (const [index, child] of mark.children.entries()) {
      const row = rowOf(mark, index);
      if (row < 0) continue;
      child.style.opacity = isFaded({ mark, row }) ? "0.12" : isOutside({ mark, row }, selected) ? "0.25" : "";
    }
  }
}

/** The columns and values of a target. */
function cellsOf(thing: Thing | undefined): NonNullable<Selection["where"]> {
  return (thing?.mark.channels ?? []).flatMap((channel) => {
    const [name, cell] = [columnOf(channel), cellOf(channel, (thing as Thing).row)];
    return name && cell !== undefined ? [[name, cell] as const] : [];
  });
}

/** The target at a position. */
function nearest(
  stops: readonly Stop[],
  isFaded: IsFaded,
  x: number,
  y: number,
  target: EventTarget | null,
): Stop | undefined {
  let found: Stop | undefined;
  let least = (stops.every((stop) => "mark" in stop) ? REACH : NEAR) ** 2;
  for (const thing of stops) {
    if (!("mark" in thing) || isFaded(thing)) continue;
    const { box, child } = thing;
    if (child && child === target) return thing;
    if (box) {
      if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) [found, least] = [thing, -1];
      continue;
    }
    const distance = (thing.x - x) ** 2 + (thing.y - y) ** 2;
    if (!child && distance < least) [found, least] = [thing, distance];
  }
  if (found) return found;
  least = REACH;
  for (const one of stops)
    if (!("mark" in one) && Math.abs(one.x - x) < least) [found, least] = [one, Math.abs(one.x - x)];
  return found;
}

/** The tooltip of a chart, and the marks of its target. */
function chartTip(plane: SVGSVGElement, partsAt: (x: number) => readonly CurvePart<DrawnMark>[], isFaded: IsFaded) {
  const [tip, said] = [find("tip"), find("said")];
  const drawn: Element[] = [];
  const draw = (parent: Element, shape: Element, attributes: Readonly<Record<string, unknown>> = {}) => {
    setAttributes(shape, { "pointer-events": "none", ...attributes });
    drawn.push(parent.appendChild(shape));
  };
  const drawColumn = (x: number, parts: readonly CurvePart<DrawnMark>[]) => {
    const { height } = plane.viewBox.baseVal;
    const dashes = { stroke: "currentColor", "stroke-opacity": 0.35, "stroke-dasharray": "3 2" };
    draw(plane, svgElement("line", { x1: x, x2: x, y1: 0, y2: height, ...dashes }));
    for (const { mark, row } of parts) {
      const fill = colourOf(mark, row) ?? "currentColor";
      const dot = { cx: x, cy: mark.y?.[row], r: 3.5, fill, stroke: "var(--ground)", "stroke-width": 1.5 };
      draw(plane, svgElement("circle", dot));
    }
  };
  const drawThing = ({ mark, row, x, y }: Thing) => {
    const child = mark.children[mark.rows ? mark.rows.indexOf(row) : row];
    if (child && mark.kind !== "dot") draw(mark.group, child.cloneNode(false) as Element, OUTLINE);
    else draw(plane, svgElement("circle", { ...OUTLINE, cx: x, cy: y, r: 6 }));
  };
  const hide = () => {
    for (const shape of drawn.splice(0)) shape.remove();
    tip.hidden = true;
  };
  const show = (stop: Stop | undefined, y?: number, isSaid = false) => {
    hide();
    if (!stop) return;
    const thing = "mark" in stop ? stop : undefined;
    const isShown = (part: MarkRow<DrawnMark>) => !isFaded(part);
    const passed = thing ? [] : partsAt(stop.x);
    const all = y === undefined ? passed : nearestFacet(passed, y);
    const parts = all.filter(isShown);
    const text = thing ? thingText(thing) : placeText(all, isShown);
    const { title, lines } = text;
    if (lines.length === 0 && (!title || !thing)) return;
    if (thing) drawThing(thing);
    else drawColumn(stop.x, parts);
    const near = thing || y === undefined ? undefined : nearestLine(lines, y);
    tip.replaceChildren(...(title ? [make("b", {}, title)] : []), tableOf(lines, near));
    tip.hidden = false;
    const matrix = plane.getScreenCTM() as DOMMatrix;
    const top = thing
      ? (thing.box?.top ?? thing.y)
      : (y ?? Math.min(...parts.map(({ mark, row }) => mark.y?.[row] as number)));
    placeTooltip(tip, stop.x * matrix.a + matrix.e, top * matrix.d + matrix.f);
    if (isSaid) said.textContent = spokenText(text);
  };
  return { hide, show };
}

/**
 * Makes a drawing interactive.
 *
 * @returns receives the selection of linked frames
 */
function begin(
  svg: SVGSVGElement,
  payload: readonly TooltipMark[],
  link: SelectionLine,
): (selected: IsApart | undefined) => void {
  const tip = find("tip");
  // A new element without listeners.
  const root = find("figure").cloneNode(false) as HTMLElement;
  find("figure").replaceWith(root);
  root.append(svg);
  const marks = payload.map((mark, index): DrawnMark => {
    const group = root.querySelector(`[data-mark="${index}"]`) as SVGGElement;
    const children = [...group.children] as SVGGraphicsElement[];
    return { ...mark, group, children, length: mark.channels[0]?.codes.length as number };
  });
  const plane = marks[0]?.group.closest("svg") as SVGSVGElement;
  const { places, partsAt, onCurve } = chartTooltip(marks);
  const columns: readonly Column[] = places().map((x) => ({ x }));
  const things = marks.flatMap(thingsOf).filter(({ mark, row }) => !onCurve(mark, row));
  const stops: readonly Stop[] = [...columns, ...things];

  let selected: IsApart | undefined;
  const isFaded = ({ mark, row }: MarkRow<DrawnMark>) =>
    chosen.size > 0 && mark.series && !chosen.has(seriesOf(mark, row));
  const { hide, show } = chartTip(plane, partsAt, isFaded);

  let [at, isPinned] = [-1, false];
  const follow = ({ clientX, clientY, target }: PointerEvent, isSaid = false) => {
    const matrix = (plane.getScreenCTM() as DOMMatrix).inverse();
    const [x, y] = [clientX * matrix.a + matrix.e, clientY * matrix.d + matrix.f];
    const box = plane.viewBox.baseVal;
    const isOutside = x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height;
    const stop = isOutside ? undefined : nearest(stops, isFaded, x, y, target);
    at = stop ? stops.indexOf(stop) : -1;
    show(stop, y, isSaid);
  };
  on(root, "pointermove", (event) => {
    if (!isPinned) follow(event);
  });
  const hideUnpinned = () => {
    if (!isPinned) hide();
  };
  on(root, "pointerleave", hideUnpinned);
  on(root, "blur", hideUnpinned);
  on(root, "pointerdown", (event) => {
    if ((event.target as Element).closest("[role=button]")) return;
    isPinned = !isPinned;
    follow(event, isPinned);
    isPinned &&= !tip.hidden;
    if (isPinned || selected) tellPinned();
  });
  /** Pinned items of a chart are selected in its linked frames. */
  const tellPinned = () => {
    const where = isPinned ? cellsOf(things[at - columns.length]) : [];
    // Items without a column do not change the selection.
    if (!isPinned || where.length > 0) link.tell({ where });
  };
  on(root, "keydown", (event) => {
    if (event.target !== root) return;
    if (event.key === "Escape") {
      [at, isPinned] = [-1, false];
      hide();
      if (selected) tellPinned();
    } else if (event.key === "Enter" && at >= 0) {
      isPinned = true;
      tellPinned();
    }
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    at = clamp(0, stops.length - 1, at + step);
    show(stops[at], undefined, true);
  });

  const labels = new Set(marks.flatMap(({ series }) => series?.labels ?? []));
  const entries = [...root.querySelectorAll<SVGGraphicsElement>("[data-entry]")]
    .map((entry) => ({ entry, key: entry.textContent as string | undefined }))
    .filter(({ key }) => labels.has(key as string));
  const fade = () => fadeMarks(marks, isFaded, selected);
  const { chosen } = legendButtons(entries, () => {
    fade();
    isPinned = false;
    hide();
  });
  root.tabIndex = 0;
  tip.hidden = true;
  return (now) => {
    selected = now;
    fade();
    const pinned = things[at - columns.length];
    if (selected && !(pinned && isOutside(pinned, selected))) return;
    isPinned = false;
    hide();
  };
}

async function start(): Promise<void> {
  let selected: IsApart | undefined;
  let show = (_: IsApart | undefined) => {};
  const link = openSelectionLine(({ values }) => {
    if (!values) return;
    selected = Object.keys(values).length > 0 ? link.apartFrom?.(values) : undefined;
    show(selected);
  });
  const [wide, differences = []] = await readPayload<[readonly TooltipMark[], (readonly Partial<TooltipMark>[])?]>();
  /** Differences of the drawing for narrow pages. */
  const narrow = wide.map(({ rows: _, ...mark }, index) => ({ ...mark, ...differences[index] }));
  const first = find("figure").firstElementChild as SVGSVGElement;
  await chooseDrawing(
    first,
    () => 0,
    (svg, drawing) => {
      show = begin(svg, drawing === 0 ? wide : narrow, link);
      show(selected);
    },
  );
  document.documentElement.className = "live";
}

void start();
