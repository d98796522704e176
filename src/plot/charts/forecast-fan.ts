import * as ObservablePlot from "@observablehq/plot";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, shownDates } from "../../core/format/format-date.js";
import { formatPercent } from "../../core/format/format-number.js";
import { MS_PER_DAY } from "../../core/instant.js";
import type { CreditOptions } from "../../history/columns/credits.js";
import type { WeightOptions } from "../../history/columns/weights.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import type { Forecast, ForecastOptions } from "../../history/questions/forecast.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { DataPoint, FreeLabel } from "../figure/place-labels.js";
import { tableRows } from "../values/table-rows.js";

/** `true`, or options of `history.forecast()` that the figure does not set. */
export type FanOptions = boolean | Omit<ForecastOptions, "done" | "total" | "until" | keyof Earned>;

/** Weights and credits of the figure. */
export type Earned = WeightOptions & CreditOptions;

/** A forecast in a figure. */
export interface Fan {
  readonly marks: readonly ObservablePlot.Markish[];
  /** The dates of P50, P80 and P95. */
  readonly labels: readonly FreeLabel[];
  /** Room for the last date. */
  readonly marginRight: number;
  /** The area that labels must not cover. */
  readonly lines: readonly (readonly DataPoint[])[];
  /** Caption of the figure. */
  readonly caption: string;
  readonly spoken: string;
}

const NO_FAN: Fan = { marks: [], labels: [], marginRight: 24, lines: [], caption: "", spoken: "" };

/** Maximum number of weeks drawn: later dates are in the caption. */
const MOST_WEEKS = 156;

/** A week of the fan, in the figure's unit. */
interface FanWeek {
  readonly date: Date;
  readonly numbers: readonly number[];
}

/**
 * Returns the fan of a forecast: the bands of 90 and 60 percent of the trials, the median, and the dates of P50, P80 and
 * P95.
 *
 * @param toY converts finished features to the figure's unit
 * @throws ArgumentError if the data are not a history
 */
export function forecastFan(
  data: unknown,
  column: string,
  fan: FanOptions | undefined,
  {
    done,
    total,
    until,
    colour,
    toY,
    earned = {},
  }: {
    readonly earned?: Earned;
    readonly done: readonly unknown[];
    readonly total?: number | undefined;
    readonly until?: TimePoint | undefined;
    readonly colour: string;
    readonly toY: (count: number, total: number) => number;
  },
): Fan {
  if (fan === undefined || fan === false) return NO_FAN;
  if (!isHistory(data)) {
    throw new ArgumentError("forecast needs a history, got a table.", {
      hint: "Pass the history (`await layer.history()`), or omit forecast.",
    });
  }
  const forecast = data.forecast(column, {
    ...(fan === true ? {} : fan),
    ...earned,
    ...(earned.credits ? {} : { done }),
    ...(total === undefined ? {} : { total }),
    ...(until === undefined ? {} : { until }),
  });
  const caption = fanCaption(forecast);
  const spoken = forecast.numRows() === 0 ? "" : ` Forecast: ${datesText(forecast).replaceAll("\u00a0", " ")}.`;
  const weeks = fanWeeks(forecast, (count) => toY(count, forecast.total));
  if (weeks.length < 2) return { ...NO_FAN, caption, spoken };
  const dates = datesOf(forecast, toY(forecast.total, forecast.total));
  const labels = dates.toReversed().map(({ name, date, y }) => ({
    texts: [`${name}\u00a0${formatDay(date, shownDates())}`, name],
    points: [{ x: date, y }],
  }));
  const marginRight = dates.length === 0 ? NO_FAN.marginRight : BESIDE;
  return { marks: fanMarks(weeks, dates, colour), labels, marginRight, lines: outlineOf(weeks), caption, spoken };
}

/** Pixels of a date next to the last dot. */
const BESIDE = 104;

/** The edges of the fan, and lines across it. */
function outlineOf(weeks: readonly FanWeek[]): readonly (readonly DataPoint[])[] {
  const ends = weeks.map(({ date, numbers }) =>
    [Math.min(...numbers), Math.max(...numbers)].map((y): DataPoint => ({ x: date, y })),
  );
  return [...ends, ...[0, 1].map((end) => ends.map((points) => points[end] as DataPoint))];
}

const names = ["p95", "p80", "p50", "p20", "p5"];

function fanWeeks({ fan }: Forecast, toY: (count: number) => number): readonly FanWeek[] {
  const dateAt = tableRows(fan, "").column("date");
  return Array.from({ length: Math.min(fan.numRows(), MOST_WEEKS + 1) }, (_, row) => ({
    date: chartDate(dateAt(row)),
    numbers: names.map((name) => toY(Number(fan.get(name, row)))),
  }));
}

/** The available dates, at the height of 100 %. */
function datesOf(forecast: Forecast, y: number) {
  const dateAt = tableRows(forecast, "").column("date");
  return Array.from({ length: forecast.numRows() }, (_, row) => ({
    name: levelName(forecast, row),
    date: dateAt(row) as Date | null,
    y,
  })).flatMap(({ date, ...rest }) => (date && date < lastDate(forecast) ? [{ ...rest, date }] : []));
}

function lastDate({ fan }: Forecast): Date {
  return new Date(Number(tableRows(fan, "").column("date")(0)) + MOST_WEEKS * 7 * MS_PER_DAY);
}

function fanMarks(
  weeks: readonly FanWeek[],
  dates: readonly { readonly name: string; readonly date: Date; readonly y: number }[],
  colour: string,
): readonly ObservablePlot.Markish[] {
  const at = (index: number) => (week: FanWeek) => week.numbers[index] as number;
  const rounded = (index: number, week: FanWeek) => Math.round(10 * at(index)(week)) / 10;
  const channels = {
    forecast: (week: FanWeek) => {
      const [p95, p50, p5] = [rounded(0, week), rounded(2, week), rounded(4, week)];
      return `${p50} (${Math.min(p95, p5)} to ${Math.max(p95, p5)})`;
    },
  };
  const band = (low: number, high: number, fillOpacity: number) =>
    ObservablePlot.areaY(weeks, { x: "date", y1: at(low), y2: at(high), fill: colour, fillOpacity, channels });
  return [
    band(0, 4, 0.14),
    band(1, 3, 0.2),
    ObservablePlot.lineY(weeks, {
      x: "date",
      y: at(2),
      stroke: colour,
      strokeDasharray: "4,3",
      strokeWidth: 1.6,
      channels,
    }),
    ObservablePlot.dot(dates, { x: "date", y: "y", fill: colour, r: 3.5, channels: { forecast: "name" } }),
  ];
}

function levelName(forecast: Forecast, row: number): string {
  return `P${Math.round(100 * Number(forecast.get("probability", row)))}`;
}

function datesText(forecast: Forecast): string {
  const dateAt = tableRows(forecast, "").column("date");
  return Array.from({ length: forecast.numRows() }, (_, row) => {
    const date = dateAt(row);
    return `${levelName(forecast, row)}\u00a0${date instanceof Date ? formatDay(date, shownDates()) : "never"}`;
  }).join(", ");
}

/** The dates, the hit rates of such forecasts, and diagnostics. */
function fanCaption(forecast: Forecast): string {
  const messages = forecast.diagnostics.map(({ message }) => message);
  if (forecast.numRows() === 0 || forecast.done >= forecast.total) return messages.join(" ");
  const tests = Number(forecast.get("backtests", 0));
  const kept = Array.from({ length: forecast.numRows() }, (_, row) => {
    const share = formatPercent(100 * Number(forecast.get("hit_rate", row)), { decimals: 0 });
    return `${levelName(forecast, row)}\u00a0${share}`;
  });
  const line =
    tests === 0 ? [] : [`Hit rates in ${tests} past ${tests === 1 ? "forecast" : "forecasts"}: ${kept.join(", ")}.`];
  return [`All done: ${datesText(forecast)}.`, ...line, ...messages].join(" ");
}
