import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { sensibleDecimals } from "../../core/format/format-in-column.js";
import { provenanceText } from "../../core/format/format-provenance.js";
import { integerFrom, list, type OptionRules, oneOf, requireOptions, text } from "../../core/options.js";
import { printable, printableLine } from "../../core/printable.js";
import { provenanceOf } from "../../core/provenance.js";
import { textOrder } from "../../core/text-order.js";
import type { Layer } from "../../layer/layer.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { accent, orderLabels } from "../values/palette.js";
import { type RowSeriesList, rowSeries, type SeriesPoint } from "../values/table-rows.js";
import { groupOrder } from "../values/value-order.js";
import { changeHtml, type ShownKpi, showKpi } from "./kpis.js";

/** Options of `sparklines()`. */
export interface SparklinesOptions {
  /** Column with a row for each value. */
  readonly by: string;
  /** Column of dates or numbers along the lines. Default: `date`. */
  readonly x?: string;
  /** Column of numbers. */
  readonly y: string;
  /** Unit of the numbers, for the header. */
  readonly unit?: string;
  /** Direction that is an improvement. If omitted, changes have no color. */
  readonly better?: "higher" | "lower";
  /**
   * Order of the rows: by the last number or the change, largest first, by name, or values of `by` to list first. Default: the
   * order in the column's definition, else in the data.
   */
  readonly order?: "last" | "change" | "name" | readonly unknown[];
  /** Whether each line has a separate axis, to show details, or all share one, for comparison. Default: `"own"`. */
  readonly axes?: "own" | "shared";
  /** Maximum number of rows. Default: 100. */
  readonly limit?: number;
}

/** A table with sparklines as HTML and as text. Notebooks display it. */
export interface Sparklines {
  /** HTML for Jupyter and other hosts. */
  [displaySymbol](): MimeBundle;
  /** The table as text, one line per row, with block characters. */
  toString(): string;
}

const rules: OptionRules<SparklinesOptions> = {
  by: text,
  x: text,
  y: text,
  unit: text,
  better: oneOf("higher", "lower"),
  order: {
    takes: '"last", "change", "name" or an array of values',
    texts: ["last", "change", "name"],
    schema: { type: ["string", "array"] },
    accepts: (value) => list.accepts(value) || oneOf("last", "change", "name").accepts(value),
  },
  axes: oneOf("own", "shared"),
  limit: integerFrom(1, 5000),
};

/**
 * Returns a table with a row for each value of a column: a small line with its highest and lowest point, the last number,
 * and the change since the first. It needs no scripts, and works in print and on phones.
 *
 * @param data a layer or a table with a row for each point, such as `history.panel()` or `history.counts()`
 * @throws ArgumentError for unknown columns, and values that are not dates or numbers
 * @example
 * const counts = history.counts("STATUS", { from: "2026-01-01", until: "2026-06-30", every: "week" });
 * sparklines(counts, { by: "value", y: "count", unit: "tickets" })
 */
export function sparklines(data: Layer | ColumnTable, options: SparklinesOptions): Sparklines {
  requireOptions("sparklines()", options, rules);
  const { by, x = "date", y, unit, better, order = [], axes = "own", limit = 100 } = options;
  const read = rowSeries("sparklines()", data, { x, y, by: [by] });
  const lines = read.series.map(({ names, points }) => courseOf(String(names[0]), points));
  const sorted = sortedCourses(data, lines, { by, order });
  const courses = sorted.slice(0, limit);
  const digits = digitsOf(courses.flatMap(({ knownPoints }) => knownPoints.map(({ y }) => y)));
  const rows = courses.map((course): Row => {
    const { name, first, last } = course;
    const before = last && last !== first ? first?.y : undefined;
    return { course, kpi: showKpi({ label: name, value: last?.y ?? null, before, better, digits }, undefined) };
  });
  const begins = new Set(courses.flatMap(({ first }) => (first ? [first.x] : [])));
  const [begin] = begins;
  const provenance = provenanceOf(data);
  const table: Table = {
    by,
    y: unit === undefined ? y : `${y}, ${unit}`,
    change: begins.size === 1 && begin !== undefined ? `since ${read.textOf(begin)}` : "since its first",
    rows,
    digits,
    read,
    bounds: axes === "shared" ? boundsOf(courses.flatMap(({ knownPoints }) => knownPoints)) : undefined,
    reach: boundsOf(courses.flatMap(({ points }) => points.map(({ x }) => ({ x, y: x })))),
    notes: [
      ...(sorted.length > courses.length ? [`The first ${courses.length} of ${counted(sorted.length, "row")}.`] : []),
      ...read.notes,
      ...(provenance ? [`${provenanceText(provenance, "figure")}.`] : []),
    ],
  };
  return {
    [displaySymbol]: () => ({ "text/html": htmlOf(table), "text/plain": textOf(table) }),
    toString: () => textOf(table),
  };
}

interface KnownPoint {
  readonly x: number;
  readonly y: number;
}

/** The numbers of a row. */
interface Course {
  readonly name: string;
  readonly points: readonly SeriesPoint[];
  /** Points with a number. */
  readonly knownPoints: readonly KnownPoint[];
  readonly first: KnownPoint | undefined;
  readonly last: KnownPoint | undefined;
  readonly lowest: KnownPoint | undefined;
  readonly highest: KnownPoint | undefined;
}

interface Row {
  readonly course: Course;
  readonly kpi: ShownKpi;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The complete table. */
interface Table {
  readonly by: string;
  readonly y: string;
  readonly change: string;
  readonly rows: readonly Row[];
  readonly digits: number;
  readonly read: RowSeriesList;
  /** Range of all numbers, if all lines share an axis. */
  readonly bounds: Bounds | undefined;
  /** Range along the lines. */
  readonly reach: Bounds;
  readonly notes: readonly string[];
}

function courseOf(name: string, points: readonly SeriesPoint[]): Course {
  const knownPoints = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }]));
  const byHeight = knownPoints.toSorted((a, b) => a.y - b.y);
  return {
    name,
    points,
    knownPoints,
    first: knownPoints[0],
    last: knownPoints.at(-1),
    lowest: byHeight[0],
    highest: byHeight.at(-1),
  };
}

function sortedCourses(
  data: Layer | ColumnTable,
  courses: readonly Course[],
  { by, order }: { readonly by: string; readonly order: NonNullable<SparklinesOptions["order"]> },
): readonly Course[] {
  if (order === "name") {
    const compare = textOrder();
    return courses.toSorted((a, b) => compare(a.name, b.name));
  }
  if (typeof order === "string") {
    const sizeOf = ({ first, last }: Course) => {
      if (!first || !last) return Number.NEGATIVE_INFINITY;
      return order === "last" ? last.y : last.y - first.y;
    };
    return courses.toSorted((a, b) => sizeOf(b) - sizeOf(a) || 0);
  }
  const { values } = groupOrder(
    data,
    by,
    courses.map(({ name }) => name),
  );
  const positions = new Map(orderLabels(values, order).map((name, index) => [name, index]));
  return courses.toSorted((a, b) => Number(positions.get(a.name)) - Number(positions.get(b.name)));
}

/** Significant digits of the largest number; all numbers in a column have the same decimals. */
const DIGITS = 4;

function digitsOf(numbers: readonly number[]): number {
  const greatest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  const whole = greatest < 1 ? 1 : Math.floor(Math.log10(greatest)) + 1;
  const kpi = greatest < 1 && greatest > 0 ? DIGITS - Math.ceil(Math.log10(greatest)) : DIGITS - whole;
  return Math.min(20, Math.max(0, Math.min(kpi, sensibleDecimals(numbers))));
}

function boundsOf(points: readonly KnownPoint[]): Bounds {
  const [least, most] = points.reduce(([low, high], { y }) => [Math.min(low, y), Math.max(high, y)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as readonly [number, number]);
  return { least, most };
}

/** Relative position of a number, from 0 to 1; 0.5 if all are equal. */
function shareOf(number: number, { least, most }: Bounds): number {
  return most > least ? (number - least) / (most - least) : 0.5;
}

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/** Length of a line in block characters. */
const WIDTH = 16;

/** A line of block characters, each with the last number of its interval. */
function blocksOf({ knownPoints }: Course, { bounds, reach }: Table): string {
  const ownBounds = bounds ?? boundsOf(knownPoints);
  const blocks = Array.from({ length: WIDTH }, () => " ");
  for (const { x, y } of knownPoints) {
    const index = Math.min(WIDTH - 1, Math.floor(shareOf(x, reach) * WIDTH));
    blocks[index] = BLOCKS[Math.round(shareOf(y, ownBounds) * (BLOCKS.length - 1))] as string;
  }
  return blocks.join("");
}

function textOf(table: Table): string {
  const head = [table.by, table.y, "last", table.change];
  const cells = table.rows.map(({ course, kpi }) => [course.name, blocksOf(course, table), kpi.value, kpi.change]);
  const lines = [head, ...cells].map((row) => row.map((cell) => printable(cell.replace(/[\n\p{Cc}]+/gu, " "))));
  const widths = head.map((_, column) => Math.max(...lines.map((row) => (row[column] as string).length)));
  const isNumber = [false, false, true, false];
  const body = lines.map((row) =>
    row
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(Number(widths[column])) : cell.padEnd(Number(widths[column])),
      )
      .join("  ")
      .trimEnd(),
  );
  return [...body, ...(table.rows.length === 0 ? ["No rows"] : []), ...table.notes.map(printableLine)].join("\n");
}

// Inline, since Jupyter removes style elements from untrusted notebooks. Lines have the color of the host's text.
const line = "1px solid color-mix(in srgb, currentColor 16%, transparent)";
const soft = "opacity:.75;font-size:12px";
const cell = `border:0;border-bottom:${line};padding:4px 8px 4px 0;background:none;vertical-align:middle`;
const left = `${cell};text-align:left;overflow-wrap:break-word;white-space:normal`;
const whole = `${cell};text-align:left;white-space:nowrap`;
const right = `${cell};text-align:right;white-space:normal`;

function htmlOf(table: Table): string {
  const { by, y, change, rows, notes } = table;
  const head = [
    `<th scope="col" style="${left};font-weight:600">${escapeHtml(by)}</th>`,
    `<th scope="col" style="${left};font-weight:600">${escapeHtml(y)}</th>`,
    `<th scope="col" style="${right};font-weight:600">last</th>`,
    `<th scope="col" style="${whole};padding-right:0;white-space:normal;font-weight:600">${wholeWords(change)}</th>`,
  ];
  const body = rows.map(
    ({ course, kpi }) =>
      `<tr style="break-inside:avoid;background:none"><th scope="row" style="${left};font-weight:400">${escapeHtml(course.name)}</th>` +
      `<td style="${whole}">${sparkline(course, table)}</td><td style="${right}">${wholeWords(kpi.value)}</td>` +
      `<td style="${whole};padding-right:0">${changeHtml(kpi)}</td></tr>`,
  );
  const none = rows.length === 0 ? `<tr><td colspan="4" style="${left}">No rows</td></tr>` : "";
  const marks = rows.length === 0 ? "" : `${dot(colours.highest)} highest ${dot(colours.lowest)} lowest. `;
  return (
    `<div style="font:13px/1.45 system-ui,sans-serif;max-width:100%;overflow-x:auto">` +
    `<table style="border-collapse:collapse;border:0;margin:0;font:inherit;font-variant-numeric:tabular-nums">` +
    `<thead><tr style="background:none">${head.join("")}</tr></thead><tbody>${body.join("")}${none}</tbody></table>` +
    `<div style="${soft};margin-top:4px">${marks}${escapeHtml(notes.join(" "))}</div></div>`
  );
}

/** Lines wrap between words, not at the hyphens of a date. */
function wholeWords(words: string): string {
  return words.replace(/\S+/g, (word) => `<span style="white-space:nowrap">${escapeHtml(word)}</span>`);
}

/** Colors with a contrast of at least 3 to 1 on light and dark backgrounds. */
const colours = { highest: "#d55e00", lowest: "#8b5cf6" } as const;

function dot(colour: string): string {
  return `<span style="color:${colour}" aria-hidden="true">●</span>`;
}

const [SPARK_WIDTH, SPARK_HEIGHT, EDGE] = [108, 26, 3];

/** An image, since some hosts remove SVG elements from pages. */
function sparkline(course: Course, table: Table): string {
  const { knownPoints, lowest, highest, first, last, name } = course;
  if (!first || !last || !lowest || !highest) return "";
  const bounds = table.bounds ?? boundsOf(knownPoints);
  const at = ({ x, y }: KnownPoint) => {
    const across = EDGE + shareOf(x, table.reach) * (SPARK_WIDTH - 2 * EDGE);
    return [across, SPARK_HEIGHT - EDGE - shareOf(y, bounds) * (SPARK_HEIGHT - 2 * EDGE)].map((one) =>
      Number(one.toFixed(1)),
    );
  };
  let isBroken = true;
  const way = course.points.map(({ x, y }) => {
    if (y === null) {
      isBroken = true;
      return "";
    }
    const step = `${isBroken ? "M" : "L"}${at({ x, y }).join(" ")}`;
    isBroken = false;
    return step;
  });
  const circle = (point: KnownPoint, colour: string, radius: number) => {
    const [x, y] = at(point);
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>`;
  };
  const ends = highest.y > lowest.y ? circle(highest, colours.highest, 2.6) + circle(lowest, colours.lowest, 2.6) : "";
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SPARK_WIDTH}" height="${SPARK_HEIGHT}" viewBox="0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}">` +
    `<path d="${way.join("")}" fill="none" stroke="${accent}" stroke-width="1.6" stroke-linejoin="round"/>${circle(last, accent, 2)}${ends}</svg>`;
  const { textOf: told } = table.read;
  const amount = (point: KnownPoint) => `${numberOf(point.y, table.digits)} (${told(point.x)})`;
  const alt = `${name}: ${amount(first)} to ${amount(last)}, highest ${amount(highest)}, lowest ${amount(lowest)}`;
  const range = `${numberOf(lowest.y, table.digits)} to ${numberOf(highest.y, table.digits)}`;
  return (
    `<img width="${SPARK_WIDTH}" height="${SPARK_HEIGHT}" style="display:block;max-width:none;background:none" alt="${escapeHtml(alt)}" title="${escapeHtml(alt)}" ` +
    `src="data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}"><span style="${soft}">${escapeHtml(range)}</span>`
  );
}

function numberOf(value: number, digits: number): string {
  return showKpi({ label: "", value, digits }, undefined).value;
}
