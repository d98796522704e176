import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, inUtc, localMs, shownDates } from "../../core/format/format-date.js";
import { formatInterval } from "../../core/format/format-interval.js";
import { anything, checkOptions, integerFrom, list, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { textOrder } from "../../core/text-order.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { resolveTimeEnd, type TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { plainText } from "../tips/tooltip-channels.js";
import { classifyValues } from "../values/classify-values.js";
import { hatch } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { requireDrawable } from "../values/require-drawable.js";
import { capital, columnWords } from "../values/spoken-options.js";
import { type Getter, tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";

const MOST_FEATURES = 2500;

/** Options of `valueOverTime()`. All others are passed to Plot. */
export interface ValueOverTimeOptions extends FigureOptions {
  /** Features to show, by `id` or `visible_id`, top to bottom. Default: the features with the most changes. */
  readonly features?: readonly unknown[];
  /** Maximum number of features if `features` is omitted, at most 2,500. Default: 20. */
  readonly limit?: number;
  /** End of intervals that are still open. Default: `until` of the history; for a table, its last time. */
  readonly until?: TimePoint;
  /** Values in the order of the legend. Default: the order in the definition's options, then in the log, else ascending. */
  readonly order?: readonly unknown[];
}

export const valueOverTimeRules: OptionRules<ValueOverTimeOptions> = {
  ...figureRules,
  features: list,
  limit: integerFrom(1, MOST_FEATURES),
  until: anything,
  order: list,
};

const hint =
  "Pass a history, or a table with `visible_id`, `value`, `valid_from` and `valid_to` such as `history.intervals()`.";

interface Stretch {
  readonly id: unknown;
  readonly visibleId: unknown;
  /** Name of the lane. */
  readonly name: string;
  readonly value: unknown;
  readonly state: unknown;
  /** Null if the creation time of the feature is unknown. */
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * Returns a timeline of the value of each feature: a lane for each feature, hatched while the value is unknown.
 *
 * @param data a history, or a table like that of `history.intervals()`
 * @param column the property whose values are shown
 * @throws ArgumentError for an unknown feature, and for another table
 * @example
 * valueOverTime(history, "STATUS", { limit: 20 })
 */
export function valueOverTime(
  data: History | Layer | ColumnTable,
  column: string,
  options: ValueOverTimeOptions = {},
): Figure {
  checkOptions("valueOverTime()", options, valueOverTimeRules);
  const { features, limit = 20, until, order, ...plotOptions } = options;
  const intervals = stretchesOf(isHistory(data) ? data.intervals(column) : data);
  const end = endOf(data, intervals, until);
  const lanes = chooseLanes(intervals, features, limit);
  requireDrawable(lanes.length, "features", MOST_FEATURES);
  const drawn = intervals.filter(({ name, from }) => lanes.includes(name) && (!from || from < end));
  const start = drawn.reduce((low, { from }) => (from && from < low ? from : low), end);
  const { labels, colours, labelOf } = classifyValues(drawn, {
    order,
    course: columnOrder(data, column),
  });
  const rows = drawn.map(
    ({ name, value, state, from, to }): Bar => ({
      name,
      label: labelOf(value, state),
      from: from ?? start,
      to: to && to < end ? to : end,
      isBegun: from !== null,
      isEnded: to !== null && to <= end,
    }),
  );
  const laneCount = new Set(intervals.map(({ name }) => name)).size;
  const subtitle =
    lanes.length < laneCount
      ? `${lanes.length} of ${laneCount} features`
      : `${laneCount} feature${laneCount === 1 ? "" : "s"}`;
  return chart(
    {
      ariaLabel: `Timeline of ${column} of ${counted(lanes.length, "feature")} until ${formatDay(end, shownDates())}; values: ${labels.join(", ")}.`,
      provenance: data,
      nothing: lanes.length === 0 && "No data",
      title: `${capital(columnWords(column))} over time`,
      subtitle,
      ...captionOf(historyNotes(data, column, { until })),
      width: CHART_WIDTH,
      marginTop: 4,
      height: 46 + 22 * Math.max(lanes.length, 2),
      marginLeft: 90,
      x: {
        type: "utc",
        label: null,
        grid: true,
        domain: [start, end],
      },
      y: { type: "band", domain: lanes, label: null, tickSize: 0, padding: 0.2 },
      color: { type: "ordinal", domain: labels, range: colours, legend: true },
      marks: [
        hatch(),
        ObservablePlot.barX(rows, { x1: "from", x2: "to", y: "name", fill: "label", insetRight: 0.5, title: titleOf }),
        ...(rows.length === 0 ? [emptyNote("No data")] : []),
      ],
    },
    plotOptions,
  );
}

/** If the start is unknown or the value still holds, only one end is shown. */
function titleOf({ name, label, from, to, isBegun, isEnded }: Bar): string {
  const [first, last] = [formatDay(from, shownDates()), formatDay(to, shownDates())];
  const both = first === last ? formatInterval(from, to, plainText, inUtc) : `${first} to ${last}`;
  const open = isBegun ? `since ${first}` : `all the time until ${last}`;
  const when = isEnded ? (isBegun ? both : `until ${last}`) : open;
  return `${name}: ${label}, ${when}`;
}

/** An interval as drawn. */
interface Bar {
  readonly name: string;
  readonly label: string;
  readonly from: Date;
  readonly to: Date;
  /** Whether the start and end of the interval are those of the bar. */
  readonly isBegun: boolean;
  readonly isEnded: boolean;
}

function stretchesOf(table: Layer | ColumnTable): readonly Stretch[] {
  const rows = tableRows(table, hint);
  const nameAt = rows.column(rows.has("visible_id") ? "visible_id" : "id");
  const idAt = rows.has("id") ? rows.column("id") : nameAt;
  const [valueAt, fromAt, toAt] = [rows.column("value"), rows.column("valid_from"), rows.column("valid_to")];
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const ids = Array.from({ length: rows.count }, (_, row) => idAt(row));
  const laneOf = laneNames(ids, nameAt);
  return ids.map((id, row) => ({
    id,
    visibleId: nameAt(row),
    name: laneOf.get(id) as string,
    value: valueAt(row),
    state: stateAt(row),
    from: dateOrNull(fromAt(row)),
    to: dateOrNull(toAt(row)),
  }));
}

function dateOrNull(value: unknown): Date | null {
  return value === null || value === undefined ? null : chartDate(value);
}

/** Names of the lanes: `visible_id` may be missing or not unique. */
function laneNames(ids: readonly unknown[], nameAt: Getter): ReadonlyMap<unknown, string> {
  const given = new Map(ids.map((id, row) => [id, String(nameAt(row) ?? id)]));
  const counts = new Map<string, number>();
  for (const name of given.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...given].map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name} (${id})`]));
}

function endOf(data: unknown, intervals: readonly Stretch[], until: TimePoint | undefined): Date {
  const ofHistory = isHistory(data);
  const requested = until ?? (ofHistory ? data.until : undefined);
  if (requested !== undefined) {
    const timeZone = ofHistory ? data.timeZone : "UTC";
    return new Date(localMs(resolveTimeEnd(requested, timeZone) / 1000, timeZone));
  }
  const ends = intervals.map(({ from, to }) => Number(to ?? from));
  return new Date(ends.reduce((latest, time) => Math.max(latest, time), 0));
}

function chooseLanes(
  intervals: readonly Stretch[],
  features: readonly unknown[] | undefined,
  limit: number,
): readonly string[] {
  if (features) {
    return features.flatMap((feature) => {
      const ofFeature = intervals.filter(({ id, visibleId }) => id === feature || visibleId === feature);
      if (ofFeature.length > 0) return [...new Set(ofFeature.map(({ name }) => name))];
      throw new ArgumentError(`valueOverTime(): unknown feature ${showValue(feature)}. Use an id or visible_id.`);
    });
  }
  const counts = new Map<string, number>();
  for (const { name } of intervals) counts.set(name, (counts.get(name) ?? 0) + 1);
  const chosen = [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
  return chosen.map(([name]) => name).sort(textOrder());
}
