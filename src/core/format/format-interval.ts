// Text of intervals of dates or numbers, and of calendar periods.
import { MS_PER_DAY } from "../instant.js";
import { type DateFormat, formatDate, formatDay, inUtc } from "./format-date.js";
import { MS_PER_MINUTE } from "./format-local.js";
import { formatMeasure } from "./format-number.js";

/**
 * Returns both ends of an interval, as precise as needed to distinguish them: `3 to 5`, `2024-03-05 09:30 to 11:00`.
 *
 * @param write text of one end
 */
export function formatInterval(
  from: unknown,
  to: unknown,
  write: (end: unknown) => string,
  format: DateFormat,
): string {
  if (typeof from === "number" && typeof to === "number") return numberInterval(from, to, write);
  if (from instanceof Date && to instanceof Date) return dateInterval(from, to, write, format);
  return joined(write(from), write(to));
}

function joined(from: string, to: string): string {
  return from === to ? from : `${from} to ${to}`;
}

const MOST_DIGITS = 15;

function numberInterval(from: number, to: number, write: (end: unknown) => string): string {
  const texts = [write(from), write(to)] as const;
  if (from === to || texts[0] !== texts[1]) return joined(...texts);
  for (let digits = 5; digits <= MOST_DIGITS; digits += 1) {
    const [near, far] = [formatMeasure(from, digits), formatMeasure(to, digits)];
    if (near !== far) return joined(near, far);
  }
  return joined(String(from), String(to));
}

const DAY_LENGTH = "2026-06-30".length;

function dateInterval(from: Date, to: Date, write: (end: unknown) => string, { timeZone }: DateFormat): string {
  const [near, far] = [write(from), write(to)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return joined(near, far);
  if (near === far && Number(from) !== Number(to)) {
    const exact = (date: Date) => formatDate(date, { timeZone, unit: Number(date) % 1000 === 0 ? 1000 : 1 });
    return `${exact(from)} to ${exact(to).slice(DAY_LENGTH + 1)}`;
  }
  // For two times on the same day, the day is shown once.
  const isClock = near === formatDate(from, { timeZone, unit: MS_PER_MINUTE }) && dayOf(near) === dayOf(far);
  return joined(near, isClock ? far.slice(DAY_LENGTH + 1) : far);
}

function dayOf(text: string): string {
  return text.slice(0, DAY_LENGTH);
}

const months = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/**
 * Returns a function that names calendar periods in UTC, whose ends are the starts of the next: March ends where April
 * begins.
 *
 * @returns undefined if not all intervals are of whole days; the function returns undefined for other values than dates
 */
export function periodNamer(
  ends: readonly (readonly [from: unknown, to: unknown])[],
): ((from: unknown, to: unknown) => string | undefined) | undefined {
  const dates = ends.flat();
  const areDays = dates.length > 0 && dates.every((date) => date instanceof Date && Number(date) % MS_PER_DAY === 0);
  if (!areDays || ends.some(([from, to]) => Number(from) >= Number(to))) return undefined;
  const firsts = (dates as Date[]).map((date) => ({ day: date.getUTCDate(), month: date.getUTCMonth() }));
  const areMonths = firsts.every(({ day }) => day === 1);
  const areYears = areMonths && firsts.every(({ month }) => month === 0);
  const name = (date: Date) => {
    if (areYears) return String(date.getUTCFullYear());
    return areMonths ? `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}` : formatDay(date, inUtc);
  };
  return (from, to) =>
    from instanceof Date && to instanceof Date
      ? joined(name(from), name(new Date(Number(to) - MS_PER_DAY)))
      : undefined;
}
