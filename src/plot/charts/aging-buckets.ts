import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { diagnosticsOf } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, shownDates } from "../../core/format/format-date.js";
import { formatCountTick } from "../../core/format/format-tick.js";
import { checkOptions, givenOptions, type OptionRules } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { valueLabel } from "../../history/order/value-label.js";
import { type AgingOptions, agingRules } from "../../history/questions/aging.js";
import type { History } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { accent, hatch, hatchFill, orderLabels, steps, valueColours } from "../values/palette.js";
import { captionOf, readingNote } from "../values/present-note.js";
import { requireDrawable } from "../values/require-drawable.js";
import { capital, columnWords, dayWords, valueWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";
import { groupOrder, MOST_SERIES, mostFrequent } from "../values/value-order.js";

/** Options of `aging()` of siteframe/plot: those of `history.aging()` except blocked time. All others are passed to Plot. */
export interface AgingFigureOptions extends Partial<Omit<AgingOptions, "blocked">>, FigureOptions {}

const { blocked: _, ...counted } = agingRules;
export const agingFigureRules: OptionRules<AgingFigureOptions> = { ...figureRules, ...counted };

const hint = "Pass a history with { open }, or the result of `history.aging()`.";

/** Items of a bucket at a date. */
interface Bar {
  readonly date: string;
  readonly bucket: string;
  readonly group: string;
  /** The group's value of each column of `by`. */
  readonly parts: readonly string[];
  readonly count: number;
  readonly isKnown: boolean;
}

/**
 * Returns bars of the age of open items: one bar for each bucket of age, with the columns of `by` in colors. With several
 * dates, one bar for each date, with the buckets in colors. Unknown ages are hatched.
 *
 * @param data a history, or a table like that of `history.aging()`
 * @param column the property whose values are open or not
 * @throws ArgumentError if `open` is missing
 * @example
 * aging(history, "STATUS", { open: ["OPEN", "IN_PROGRESS", "BLOCKED"], by: "PRIORITY" })
 */
export function aging(data: History | ColumnTable, column: string, options: AgingFigureOptions = {}): Figure {
  checkOptions("aging()", options, agingFigureRules);
  const { open, buckets, by, at, dates, due, unknownStart, calendar, ...plotOptions } = options;
  const unit = dayWords({ calendar });
  const question = { open, buckets, by, at, dates, due, unknownStart, calendar };
  const table = isHistory(data) ? data.aging(column, given(question)) : data;
  const { bars, names } = barsOf(table);
  const labels = [...new Set(bars.map(({ date }) => date))];
  const total = (of: readonly Bar[]) => of.reduce((sum, { count }) => sum + count, 0);
  const last = bars.filter(({ date }) => date === labels.at(-1));
  const counts = [...new Set(last.map(({ bucket }) => bucket))].map(
    (bucket) => `${bucket} ${total(last.filter((bar) => bar.bucket === bucket))}`,
  );
  const isOne = labels.length <= 1;
  const { shown: shownBars, note } = isOne ? mostGroups(bars, names) : { shown: bars, note: "" };
  const diagnostics = diagnosticsOf(table).filter(({ code }) => code !== "date-after-read");
  return chart(
    {
      ariaLabel: `Bars of open items by age in ${unit}${labels.length === 0 ? "" : ` on ${labels.at(-1)}`}: ${counts.join(", ") || "none"}.`,
      provenance: data,
      nothing: !bars.some(({ count }) => count > 0) && (isOne ? "Nothing is open" : "Nothing was open"),
      title: isOne ? "Age of open items" : "Age of open items by date",
      subtitle: `${open === undefined ? capital(columnWords(column)) : valueWords(open)}${isOne && labels[0] !== undefined ? ` on ${labels[0]}` : ""}, age in ${unit}${note}`,
      ...captionOf(readingNote(data, { dates, until: at }), ...diagnostics.map(({ message }) => message)),
      width: CHART_WIDTH,
      height: 320,
      marginBottom: 44,
      y: { label: "open items", grid: true, zero: true, nice: true, tickFormat: formatCountTick },
      ...(isOne
        ? oneDate(shownBars, names, unit, groupColours(data, shownBars, names))
        : severalDates(shownBars, labels, unit)),
    },
    plotOptions,
    isOne ? {} : { x: datesAxis(labels, MOST_TICKS.narrow) },
  );
}

/** @throws ArgumentError without `open` */
function given({
  open,
  ...rest
}: { readonly [Name in keyof AgingOptions]?: AgingOptions[Name] | undefined }): AgingOptions {
  if (open === undefined) {
    throw new ArgumentError("aging(): open is missing.", {
      hint: 'List the open values: { open: ["OPEN", "BLOCKED"] }.',
    });
  }
  return { open, ...givenOptions(rest) };
}

const MOST_ROWS = 60_000;

function barsOf(table: ColumnTable): { readonly bars: readonly Bar[]; readonly names: readonly string[] } {
  const rows = tableRows(table, hint);
  requireDrawable(rows.count, "ages at dates", MOST_ROWS);
  const [dateAt, bucketAt] = [rows.column("date"), rows.column("bucket")];
  const [countAt, fromAt] = [rows.column("count"), rows.column("from_days")];
  const all = table.columnNames();
  const names = all.slice(all.indexOf("date") + 1, all.indexOf("bucket"));
  const groupsAt = names.map((name) => rows.column(name));
  const bars = Array.from({ length: rows.count }, (_, row): Bar => {
    const date = dateAt(row);
    const parts = groupsAt.map((group) => valueLabel(group(row)));
    return {
      date: typeof date === "string" ? date : formatDay(chartDate(date), shownDates()),
      bucket: String(bucketAt(row)),
      group: parts.join(", "),
      parts,
      count: Number(countAt(row)),
      isKnown: fromAt(row) !== null,
    };
  });
  return { bars, names };
}

/** The groups with the most items, and the others as one. */
function mostGroups(bars: readonly Bar[], names: readonly string[]) {
  const sums = new Map<string, number>();
  for (const { group, count } of bars) sums.set(group, (sums.get(group) ?? 0) + count);
  const { kept, note } = mostFrequent(sums, MOST_SERIES, { noun: names.length === 1 ? String(names[0]) : "groups" });
  return { shown: bars.filter(({ group }) => kept.has(group)), note };
}

/** Groups in the order of each column's values, and their colors. */
function groupColours(data: unknown, bars: readonly Bar[], names: readonly string[]): ObservablePlot.ScaleOptions {
  const filled = bars.filter(({ count }) => count > 0);
  const orders = names.map((name, at) => {
    const labels = [...new Set(filled.map(({ parts }) => parts[at] as string))];
    const { values, ...colouring } = groupOrder(data, name, labels);
    return { values: orderLabels(values), colouring };
  });
  const byOrder = (a: Bar, b: Bar) =>
    orders.reduce(
      (sign, { values }, at) => sign || values.indexOf(a.parts[at] as string) - values.indexOf(b.parts[at] as string),
      0,
    );
  const groups = [...new Set(filled.toSorted(byOrder).map(({ group }) => group))];
  return { ...valueColours(groups, orders.length === 1 ? orders[0]?.colouring : {}), legend: true };
}

/** A bar for each bucket. */
function oneDate(
  bars: readonly Bar[],
  names: readonly string[],
  unit: string,
  colours: ObservablePlot.ScaleOptions,
): Omit<FigureOptions, "ariaLabel"> {
  const buckets = [...new Set(bars.map(({ bucket }) => bucket))];
  const placeOf = new Map([...(colours.domain ?? [])].map((group, index) => [group, index]));
  // Parts of a bar have the order of the legend.
  const filled = bars
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => Number(placeOf.get(a.group)) - Number(placeOf.get(b.group)));
  const sums = buckets.flatMap((bucket) => {
    const count = filled.filter((bar) => bar.bucket === bucket).reduce((sum, one) => sum + one.count, 0);
    return count === 0 ? [] : [{ bucket, count }];
  });
  const isGrouped = names.length > 0;
  const channels = { age: "bucket", items: "count", ...(isGrouped ? { [names.join(", ")]: "group" } : {}) };
  const bar = (some: readonly Bar[], fill: string) =>
    ObservablePlot.barY(some, {
      x: "bucket",
      y: "count",
      z: "group",
      fill,
      channels,
      tip: tellsAll,
    });
  return {
    x: {
      type: "band",
      domain: buckets,
      label: `age in ${unit}`,
      labelAnchor: "center",
      labelOffset: 38,
      padding: 0.25,
      tickFormat: (bucket: string) => bucket.replace(/^>/, "> "),
    },
    ...(isGrouped ? { color: colours } : {}),
    marks: [
      hatch(),
      isGrouped
        ? bar(filled, "group")
        : [
            bar(
              filled.filter(({ isKnown }) => isKnown),
              accent,
            ),
            bar(
              filled.filter(({ isKnown }) => !isKnown),
              hatchFill,
            ),
          ],
      ObservablePlot.text(sums, { x: "bucket", y: "count", text: "count", dy: -8, fontWeight: "bold", fontSize: 12 }),
      ObservablePlot.ruleY([0]),
    ],
  };
}

/** A bar for each date, with the buckets in colors: the older, the darker. */
function severalDates(bars: readonly Bar[], dates: readonly string[], unit: string): Omit<FigureOptions, "ariaLabel"> {
  const buckets = [...new Set(bars.map(({ bucket }) => bucket))];
  const isKnown = new Map(bars.map(({ bucket, isKnown }) => [bucket, isKnown]));
  const knownBuckets = buckets.filter((bucket) => isKnown.get(bucket));
  const counts = new Map<string, Map<string, number>>();
  for (const { date, bucket, count } of bars) {
    const ofDate = counts.get(date) ?? new Map<string, number>();
    ofDate.set(bucket, (ofDate.get(bucket) ?? 0) + count);
    counts.set(date, ofDate);
  }
  const sums = dates.flatMap((date) =>
    buckets.flatMap((bucket) => {
      const count = counts.get(date)?.get(bucket) ?? 0;
      return count === 0 ? [] : [{ date, bucket, count }];
    }),
  );
  const shade = (index: number) =>
    steps[Math.round((index * (steps.length - 1)) / Math.max(knownBuckets.length - 1, 1))] as string;
  const colour = (bucket: string) => (isKnown.get(bucket) ? shade(knownBuckets.indexOf(bucket)) : hatchFill);
  return {
    x: datesAxis(dates, MOST_TICKS.wide),
    color: { type: "ordinal", label: `age in ${unit}`, domain: buckets, range: buckets.map(colour), legend: true },
    marks: [
      hatch(),
      ObservablePlot.barY(
        sums,
        ObservablePlot.stackY(
          { order: [...buckets].reverse() },
          {
            x: "date",
            y: "count",
            fill: "bucket",
            z: "bucket",
            channels: { date: "date", age: "bucket", items: "count" },
            tip: tellsAll,
          },
        ),
      ),
      ObservablePlot.ruleY([0]),
    ],
  };
}

/** Maximum number of dates that fit next to each other. */
const MOST_TICKS = { wide: 8, narrow: 3 };

function datesAxis(dates: readonly string[], most: number): Exclude<FigureOptions["x"], null | undefined> {
  const every = Math.ceil(dates.length / most);
  const ticks = dates.filter((_, index) => (dates.length - 1 - index) % every === 0);
  return { type: "band", domain: dates, label: null, padding: 0.15, ticks };
}

/** Channels repeat the axes and colors. */
const tellsAll = { format: { x: false, y: false, fill: false } };
