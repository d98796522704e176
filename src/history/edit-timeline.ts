import { Temporal } from "temporal-polyfill";
import { counted } from "../core/counted.js";
import { formatCount } from "../core/format/format-number.js";
import { US_PER_DAY } from "../core/instant.js";
import { type Picture, pictureColours, svgDocument } from "../tables/display/pictures/picture.js";
import { escapeHtml } from "../tables/display/text.js";
import type { HistoryData } from "./cell/history-data.js";
import { DateLocator } from "./time/date-grid.js";

type Step = "day" | "week" | "month" | "quarter" | "year";

/** Longest period in days for bars of each step, shortest first, and the step in calendar units. */
const steps: readonly (readonly [Step, number, Temporal.DurationLike])[] = [
  ["day", 1, { days: 1 }],
  ["week", 7, { weeks: 1 }],
  ["month", 31, { months: 1 }],
  ["quarter", 92, { months: 3 }],
  ["year", 366, { years: 1 }],
];

/** Maximum number of bars of the finest step. */
const maxBars = 60;
/** A log over more years probably has a wrong date in it, which a list of late edits shows better. */
const maxYears = 300;

/** Number of edits of a history's columns over time, by calendar in its time zone; undefined without edits. */
export function editTimeline({ index, log, timeZone }: HistoryData): Picture | undefined {
  const timesUs =
    log.initial === 0
      ? index.timesUs
      : index.timesUs.filter((_, position) => (index.order[position] as number) >= log.initial);
  let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const us of timesUs) {
    firstUs = Math.min(firstUs, us);
    lastUs = Math.max(lastUs, us);
  }
  const days = (lastUs - firstUs) / US_PER_DAY;
  const count = timesUs.length;
  if (count === 0 || days > maxYears * 366) return undefined;
  const chosen = steps.find(([, length]) => days / length <= maxBars) ?? steps.at(-1);
  if (!chosen) return undefined;
  const [step, , duration] = chosen;
  const [first, last] = [localDate(firstUs, timeZone), localDate(lastUs, timeZone)];
  const dates = datesOf(stepStart(first, step), last, duration);
  const bars = countEdits(timesUs, dates, duration, timeZone);
  const most = bars.reduce((highest, bar) => Math.max(highest, bar.count), 0);
  const edits = counted(count, "edit");
  return sketchTimeline(
    bars.map((bar) => ({ ...bar, label: barLabel(bar.label, step) })),
    `${edits} by ${step}, from ${first} to ${last} (${timeZone}), at most ${formatCount(most)} in a ${step}.`,
  );
}

function localDate(us: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(us / 1000))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
}

function stepStart(date: Temporal.PlainDate, step: Step): Temporal.PlainDate {
  if (step === "week") return date.subtract({ days: date.dayOfWeek - 1 });
  if (step === "month") return date.with({ day: 1 });
  if (step === "quarter") return date.with({ day: 1, month: 3 * Math.floor((date.month - 1) / 3) + 1 });
  return step === "year" ? date.with({ day: 1, month: 1 }) : date;
}

function datesOf(
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
  step: Temporal.DurationLike,
): readonly Temporal.PlainDate[] {
  const dates: Temporal.PlainDate[] = [];
  for (let date = first; Temporal.PlainDate.compare(date, last) <= 0; date = date.add(step)) dates.push(date);
  return dates;
}

function countEdits(
  timesUs: Float64Array,
  dates: readonly Temporal.PlainDate[],
  step: Temporal.DurationLike,
  timeZone: string,
): readonly TimelineBar[] {
  // The last microsecond of each bar.
  const ends = dates.map((date) => date.add(step).toZonedDateTime(timeZone).epochMilliseconds * 1000 - 1);
  const locator = new DateLocator(Float64Array.from(ends));
  const counts = new Int32Array(dates.length + 1);
  for (const us of timesUs) {
    const bar = locator.locate(us);
    counts[bar] = (counts[bar] as number) + 1;
  }
  return dates.map((date, bar) => ({ label: date.toString(), count: counts[bar] as number }));
}

function barLabel(date: string, step: Step): string {
  if (step === "year") return date.slice(0, 4);
  return step === "month" || step === "quarter" ? date.slice(0, 7) : date;
}

/** One bar of a timeline. */
interface TimelineBar {
  /** Label of the bar's period, for example `2025-06`. */
  readonly label: string;
  readonly count: number;
}

const width = 480;
const height = 92;
const top = 16;
const base = height - 16;

/** Counts over time as a small bar chart; undefined without bars. */
function sketchTimeline(bars: readonly TimelineBar[], caption: string): Picture | undefined {
  const [first] = bars;
  const last = bars.at(-1);
  if (!first || !last) return undefined;
  const most = bars.reduce((highest, { count }) => Math.max(highest, count), 0);
  const step = width / bars.length;
  const gap = step > 4 ? 1 : 0;
  const path = bars.map(({ count }, index) => {
    if (count === 0) return "";
    // A single event among thousands must still be visible.
    const tall = Math.max(1, ((base - top) * count) / most);
    const wide = Math.min(Math.max(step - gap, 0.5), 40);
    return `M${(index * step).toFixed(1)} ${base}v${(-tall).toFixed(1)}h${wide.toFixed(1)}V${base}z`;
  });
  const { mark, text } = pictureColours;
  const content =
    `<path fill="${mark}" d="${path.join("")}"/><path stroke="${text}" d="M0 ${base}h${width}"/>` +
    `<g fill="${text}"><text y="11">${formatCount(most)} at most</text>` +
    `<text y="${height - 3}">${escapeHtml(first.label)}</text>` +
    `${bars.length > 1 ? `<text x="${width}" y="${height - 3}" text-anchor="end">${escapeHtml(last.label)}</text>` : ""}</g>`;
  return { svg: svgDocument(width, height, caption, content), width, height, caption };
}
