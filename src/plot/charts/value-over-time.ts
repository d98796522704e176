import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, integerFrom, list, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate, dateLabel } from "../../history/order/chart-date.js";
import { resolveTimeEnd, type TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart, emptyNote } from "../figure/chart.js";
import type { Figure } from "../figure/figure.js";
import { CHART_WIDTH, type FigureOptions, figureRules } from "../figure/figure-options.js";
import { plainText } from "../tips/tooltip-channels.js";
import { intervalText } from "../tips/value-text.js";
import { classifyValues } from "../values/classify-values.js";
import { hatch } from "../values/palette.js";
import { captionOf, historyNotes } from "../values/present-note.js";
import { requireDrawable } from "../values/require-drawable.js";
import { type Getter, tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";

const MOST_FEATURES = 2500;

/** Options of `valueOverTime()`; all others go to Plot. */
export interface ValueOverTimeOptions extends FigureOptions {
  /** The features to show, by `id` or `visible_id`, top to bottom. By default the first that changed most often. */
  readonly features?: readonly unknown[];
  /** Number of features that are shown unless they are named, at most 2,500. Default 20. */
  readonly maxFeatures?: number;
  /** Where intervals that still hold end; if absent `until` of the history, of a table the last time in it. */
  readonly until?: TimePoint;
  /** Values in the legend's order; by default as the definition lists its options, then in the course of a history's log, else ascending. */
  readonly order?: readonly unknown[];
}

export const valueOverTimeRules: OptionRules<ValueOverTimeOptions> = {
  ...figureRules,
  features: list,
  maxFeatures: integerFrom(1, MOST_FEATURES),
  until: anything,
  order: list,
};

const hint =
  "Give a history, or a table with `visible_id`, `value`, `valid_from` and `valid_to`, as `history.intervals()` makes it.";

interface Stretch {
  readonly id: unknown;
  readonly visibleId: unknown;
  /** Of the lane. */
  readonly name: string;
  readonly value: unknown;
  readonly state: unknown;
  /** Null if nobody knows when the feature was created. */
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * Which value each feature had when: a lane for each feature, hatched where nobody knows.
 *
 * @param data a history, or a table like that of `history.intervals()`
 * @param column the property whose values are shown
 * @throws ArgumentError
 */
export function valueOverTime(
  data: History | Layer | ColumnTable,
  column: string,
  options: ValueOverTimeOptions = {},
): Figure {
  checkOptions("valueOverTime()", options, valueOverTimeRules);
  const { features, maxFeatures = 20, until, order, ...plotOptions } = options;
  const stretches = stretchesOf(isHistory(data) ? data.intervals(column) : data);
  const end = endOf(data, stretches, until);
  const lanes = chooseLanes(stretches, features, maxFeatures);
  requireDrawable(lanes.length, "features", MOST_FEATURES);
  const shown = stretches.filter(({ name, from }) => lanes.includes(name) && (!from || from < end));
  const start = shown.reduce((low, { from }) => (from && from < low ? from : low), end);
  const { labels, colours, labelOf } = classifyValues(shown, {
    order,
    course: columnOrder(data, column),
  });
  const rows = shown.map(
    ({ name, value, state, from, to }): Bar => ({
      name,
      label: labelOf(value, state),
      from: from ?? start,
      to: to && to < end ? to : end,
      isBegun: from !== null,
      isEnded: to !== null && to <= end,
    }),
  );
  const laneCount = new Set(stretches.map(({ name }) => name)).size;
  const subtitle =
    lanes.length < laneCount
      ? `${lanes.length} of ${laneCount} features`
      : `${laneCount} feature${laneCount === 1 ? "" : "s"}`;
  return chart(
    {
      ariaLabel: `Timeline of ${column} of ${lanes.length} features until ${dateLabel(end)}; values: ${labels.join(", ")}.`,
      provenance: data,
      nothing: lanes.length === 0 && "No data",
      title: `${column} over time`,
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

/** Of what begins before anybody knows, or still holds, one end is known. */
function titleOf({ name, label, from, to, isBegun, isEnded }: Bar): string {
  const [first, last] = [dateLabel(from), dateLabel(to)];
  const both = first === last ? intervalText(from, to, plainText) : `${first} to ${last}`;
  const open = isBegun ? `since ${first}` : `all the time until ${last}`;
  const when = isEnded ? (isBegun ? both : `until ${last}`) : open;
  return `${name}: ${label}, ${when}`;
}

/** A stretch as it is drawn. */
interface Bar {
  readonly name: string;
  readonly label: string;
  readonly from: Date;
  readonly to: Date;
  /** Whether the stretch begins and ends where its bar does. */
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

/** What the lane of each feature is called: several features may have one `visible_id`, or none. */
function laneNames(ids: readonly unknown[], nameAt: Getter): ReadonlyMap<unknown, string> {
  const given = new Map(ids.map((id, row) => [id, String(nameAt(row) ?? id)]));
  const counts = new Map<string, number>();
  for (const name of given.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...given].map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name} (${id})`]));
}

function endOf(data: unknown, stretches: readonly Stretch[], until: TimePoint | undefined): Date {
  const ofHistory = isHistory(data);
  const asked = until ?? (ofHistory ? data.until : undefined);
  if (asked !== undefined) return new Date(resolveTimeEnd(asked, ofHistory ? data.timeZone : "UTC") / 1000);
  const ends = stretches.map(({ from, to }) => Number(to ?? from));
  return new Date(ends.reduce((latest, time) => Math.max(latest, time), 0));
}

function chooseLanes(
  stretches: readonly Stretch[],
  features: readonly unknown[] | undefined,
  maxFeatures: number,
): readonly string[] {
  if (features) {
    return features.flatMap((feature) => {
      const found = stretches.filter(({ id, visibleId }) => id === feature || visibleId === feature);
      if (found.length > 0) return [...new Set(found.map(({ name }) => name))];
      throw new ArgumentError(`No feature has the id or visible_id ${showValue(feature)}.`);
    });
  }
  const counts = new Map<string, number>();
  for (const { name } of stretches) counts.set(name, (counts.get(name) ?? 0) + 1);
  const chosen = [...counts].sort(([, a], [, b]) => b - a).slice(0, maxFeatures);
  return chosen.map(([name]) => name).sort();
}
