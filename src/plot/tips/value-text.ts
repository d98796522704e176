import { MS_PER_DAY } from "../../core/instant.js";
import { labels } from "../../history/order/value-label.js";

const formats = new Map<number, Intl.NumberFormat>();

/** Four significant digits, and integers in full. */
export function numberText(value: number, digits = 4): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  // So small or so large that most of the digits would be zeros.
  if (size < 1e-6 || size >= 1e21) return String(Number(value.toPrecision(digits)));
  const whole = Math.floor(Math.log10(size || 1)) + 1;
  const shown = Math.max(0, Math.min(20, digits - whole));
  let format = formats.get(shown);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { maximumFractionDigits: shown });
    formats.set(shown, format);
  }
  return format.format(value);
}

/** `2024-03-05`, `2024-03-05 09:30`. */
export function momentText(date: Date, isDay: boolean): string {
  if (Number.isNaN(date.getTime())) return labels.none;
  const text = date.toISOString();
  const [day = text, clock = ""] = text.split("T");
  return isDay ? day : `${day} ${clock.slice(0, 5)}`;
}

/** Both ends of an interval, as precise as needed to distinguish them. */
export function intervalText(from: unknown, to: unknown, write: (end: unknown) => string): string {
  if (typeof from === "number" && typeof to === "number") return numbersText(from, to, write);
  if (from instanceof Date && to instanceof Date) return momentsText(from, to, write);
  return joined(write(from), write(to));
}

function joined(from: string, to: string): string {
  return from === to ? from : `${from} to ${to}`;
}

const MOST_DIGITS = 15;

function numbersText(from: number, to: number, write: (end: unknown) => string): string {
  const texts = [write(from), write(to)] as const;
  if (from === to || texts[0] !== texts[1]) return joined(...texts);
  for (let digits = 5; digits <= MOST_DIGITS; digits += 1) {
    const [near, far] = [numberText(from, digits), numberText(to, digits)];
    if (near !== far) return joined(near, far);
  }
  return joined(String(from), String(to));
}

function momentsText(from: Date, to: Date, write: (end: unknown) => string): string {
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return joined(write(from), write(to));
  const [near, far] = [write(from), write(to)];
  if (near === far && Number(from) !== Number(to)) {
    const [exact, end] = [from, to].map((one) =>
      one
        .toISOString()
        .slice(0, 23)
        .replace("T", " ")
        .replace(/\.000$/, ""),
    );
    return `${exact} to ${end?.slice(11)}`;
  }
  // For two times on the same day, the day is shown once.
  const isClock = near === momentText(from, false) && near.slice(0, 10) === far.slice(0, 10);
  return joined(near, isClock ? far.slice(11) : far);
}

const months = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/**
 * Returns a function that names calendar periods, whose ends are the starts of the next: March ends where April begins.
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
    return areMonths ? `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}` : momentText(date, true);
  };
  return (from, to) =>
    from instanceof Date && to instanceof Date
      ? joined(name(from), name(new Date(Number(to) - MS_PER_DAY)))
      : undefined;
}
