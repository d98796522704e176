// Working time: working days and hours in a time zone, and the working time between two instants.

import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { dateOf, dayUs, MS_PER_DAY, parseInstant, US_PER_DAY, US_PER_HOUR, whyNoDay } from "../../core/instant.js";
import { LocalClock } from "../../core/local-clock.js";
import { nameHint, nearestName } from "../../core/nearest-name.js";
import { checkOptions, list, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { dayOf, Ledger, lengthOf, NANO_PER_DAY, type WorkedDay, type WorkInterval } from "./working-ledger.js";

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** A day of the week. */
export type WeekdayName = (typeof weekdays)[number];

/**
 * Hours of a day in local time: `"08:00-17:00"`, or several without overlap: `["08:00-12:00", "13:00-17:00"]`. The end
 * of a day is `24:00`.
 */
export type WorkingHours = string | readonly string[];

/** A holiday with working hours. */
export interface ShortDay {
  /** The day: `"2025-12-24"`. */
  readonly date: string;
  /** Working hours of the day, instead of those of the weekday. */
  readonly hours: WorkingHours;
}

/** Holidays: days off (`"2025-12-25"`), and days with other hours. */
export type HolidayList = readonly (string | ShortDay)[];

/**
 * Returns the holidays of a year.
 *
 * @param year each year is requested once
 */
export type YearlyHolidays = (year: number) => HolidayList;

/** Options of `calendar()`. */
export interface CalendarOptions {
  /** IANA time zone of the hours and dates: `"Europe/Berlin"`. */
  readonly timeZone: string;
  /**
   * Days off in each week: 0 (Sunday) to 6 (Saturday), as in `Date`, or names. Default: Saturday and Sunday, or if
   * `hours` are given by weekday, the days that they omit.
   */
  readonly weekend?: readonly (number | string)[];
  /**
   * Days off, or days with other hours: a list, lists by year (`{ 2025: ["2025-12-25"] }`), or a function that returns
   * the list of a year. Holidays on a weekend have no effect, even with hours. Default: none.
   */
  readonly holidays?: HolidayList | Readonly<Record<number, HolidayList>> | YearlyHolidays;
  /** Hours of every working day, or by weekday: `{ monday: "08:00-17:00", … }`. Default: the whole day. */
  readonly hours?: WorkingHours | Readonly<Partial<Record<WeekdayName, WorkingHours>>>;
}

/** An instant: a `Date`, or an ISO 8601 string with a zone. */
export type Instant = Date | string;

/**
 * Returns a calendar of working days and hours:
 * `calendar({ timeZone: "Europe/Berlin", hours: "08:00-17:00", holidays: ["2025-12-25"] })`. Pass it to questions about
 * a history as `calendar`.
 *
 * @example
 * ```ts
 * const offices = calendar({ timeZone: "Europe/Madrid", weekend: ["saturday", "sunday"] });
 * offices.daysBetween("2024-03-25T00:00:00+01:00", "2024-04-01T00:00:00+02:00")
 * ```
 * @throws ArgumentError for an unknown zone or weekday, hours that overlap or end before they begin, an invalid date of
 * a holiday, and a calendar without working time
 */
export function calendar(options: CalendarOptions): WorkingCalendar {
  checkOptions<CalendarOptions>("calendar()", options, rules);
  if (options?.timeZone === undefined) {
    throw new ArgumentError("calendar(): `timeZone` is missing.", {
      hint: 'Pass an IANA name: calendar({ timeZone: "Europe/Berlin" }).',
    });
  }
  return new WorkingCalendar(options);
}

const rules: OptionRules<CalendarOptions> = {
  timeZone: text,
  weekend: list,
  holidays: {
    takes: "an array of dates, arrays by year, or a function of a year",
    accepts: (value) => typeof value === "function" || (typeof value === "object" && value !== null),
  },
  hours: {
    takes: 'hours ("08:00-17:00"), an array of them, or hours by weekday',
    accepts: (value) => typeof value === "string" || (typeof value === "object" && value !== null),
  },
};

/** 400 years. Every holiday recurs within them, and a ledger of more days would need much memory. */
const MOST_DAYS = 146_097;

/**
 * Working time by an immutable calendar. An instant is working time if its local time is within the hours of that day.
 * On days of clock changes, skipped hours are not working time, and repeated hours count twice.
 *
 * A **day** is all hours of one working day, however many. An interval is measured by the share of each day's hours in
 * it. On holidays with other hours, the share is of the usual hours of the weekday: four of eight hours are half a day.
 * Days have nine digits after the decimal point.
 */
export class WorkingCalendar {
  /** IANA time zone of the hours. */
  readonly timeZone: string;
  /** Number of working days in a week without holidays. */
  readonly daysPerWeek: number;
  /** Hours by weekday; empty on weekends. */
  readonly #week: readonly Windows[];
  readonly #holidaysOf: (year: number) => Holidays;
  readonly #clock: LocalClock;
  #ledger: Ledger | undefined;

  /** @internal See `calendar()`. */
  constructor({ timeZone, weekend, holidays = [], hours = "00:00-24:00" }: CalendarOptions) {
    this.timeZone = knownZone(timeZone);
    this.#clock = new LocalClock(timeZone);
    this.#week = weekOf(hours, weekend);
    this.daysPerWeek = this.#week.filter((windows) => windows.length > 0).length;
    if (this.daysPerWeek === 0) {
      throw new ArgumentError("calendar(): `weekend` contains all days of the week.", {
        hint: 'List the days off: { weekend: ["saturday", "sunday"] }.',
      });
    }
    this.#holidaysOf = holidayRule(holidays);
  }

  /**
   * Returns whether an instant is working time. The end of hours is not.
   *
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).isWorking("2024-03-23T12:00:00+01:00")
   * ```
   */
  isWorking(instant: Instant): boolean {
    const us = usOf(instant);
    return this.workedUs(us, us + 1) > 0;
  }

  /**
   * Returns the hours of working time from one instant to another; negative if the second is earlier.
   *
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).hoursBetween("2024-03-22T18:00:00+01:00", "2024-03-25T06:00:00+01:00")
   * ```
   */
  hoursBetween(from: Instant, to: Instant): number {
    return this.workedUs(usOf(from), usOf(to)) / US_PER_HOUR;
  }

  /**
   * Returns the working days from one instant to another; negative if the second is earlier.
   *
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).daysBetween("2024-03-22T00:00:00+01:00", "2024-03-26T00:00:00+01:00")
   * ```
   */
  daysBetween(from: Instant, to: Instant): number {
    return this.workedNano(usOf(from), usOf(to)) / NANO_PER_DAY;
  }

  /**
   * Returns the instant after a number of working hours: the first at which they have passed. Negative numbers go back,
   * to the last instant from which as many are worked. For 0, returns the instant itself.
   *
   * @param hours any number
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).addHours("2024-03-22T18:00:00+01:00", 12)
   * ```
   */
  addHours(instant: Instant, hours: number): Date {
    return dateOf(
      this.#after(usOf(instant), finite(hours, "hours") * US_PER_HOUR, (from, to) => this.workedUs(from, to)),
    );
  }

  /**
   * Returns the instant after a number of working days, as `addHours`.
   *
   * @param days any number
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).addDays("2024-03-22T12:00:00+01:00", 1)
   * ```
   */
  addDays(instant: Instant, days: number): Date {
    return dateOf(this.usAfter(usOf(instant), finite(days, "days") * NANO_PER_DAY));
  }

  /**
   * Returns the instant itself if it is working time, else the start of the next working time.
   *
   * @example
   * ```ts
   * calendar({ timeZone: "Europe/Madrid" }).nextWorking("2024-03-23T12:00:00+01:00")
   * ```
   */
  nextWorking(instant: Instant): Date {
    const us = usOf(instant);
    if (this.isWorking(instant)) return dateOf(us);
    return dateOf(this.#after(us, 1, (from, to) => this.workedUs(from, to)) - 1);
  }

  /**
   * Working time between two instants, in microseconds.
   *
   * @internal
   */
  workedUs(fromUs: number, toUs: number): number {
    if (!Number.isFinite(fromUs) || !Number.isFinite(toUs)) return fromUs === toUs ? 0 : toUs - fromUs;
    const ledger = this.#cover(Math.min(fromUs, toUs), Math.max(fromUs, toUs));
    return ledger.usAt(toUs) - ledger.usAt(fromUs);
  }

  /**
   * Working days between two instants, in billionths: an integer.
   *
   * @internal
   */
  workedNano(fromUs: number, toUs: number): number {
    if (!Number.isFinite(fromUs) || !Number.isFinite(toUs)) return fromUs === toUs ? 0 : toUs - fromUs;
    const ledger = this.#cover(Math.min(fromUs, toUs), Math.max(fromUs, toUs));
    return ledger.nanoAt(toUs) - ledger.nanoAt(fromUs);
  }

  /**
   * The time after a number of billionths of working days, to the millisecond.
   *
   * @internal
   */
  usAfter(us: number, nano: number): number {
    if (nano === 0) return us;
    const after = this.#after(us, nano, (from, to) => this.workedNano(from, to)) / 1000;
    return (nano > 0 ? Math.ceil(after) : Math.floor(after)) * 1000;
  }

  /**
   * Working time by UTC day between two times, for SQL statements.
   *
   * @internal
   */
  ledger(firstUs: number, lastUs: number): Ledger {
    return this.#build(dayOf(firstUs), dayOf(lastUs) + 1);
  }

  /** The first time by which an amount is worked since another time, or, going back, the last. */
  #after(us: number, length: number, worked: (fromUs: number, toUs: number) => number): number {
    const [sign, amount] = [Math.sign(length), Math.abs(length)];
    if (sign === 0) return us;
    const since = (distance: number) => sign * worked(us, us + sign * distance);
    let [less, enough] = [0, 8 * US_PER_DAY];
    while (since(enough) < amount) {
      less = enough;
      enough *= 2;
      if (enough > MOST_DAYS * US_PER_DAY) {
        throw new ArgumentError("The calendar does not have that much working time in 400 years.", {
          hint: "Use a smaller amount, or check whether all days are holidays.",
        });
      }
    }
    while (enough - less > 1) {
      const middle = Math.floor((less + enough) / 2);
      if (since(middle) < amount) less = middle;
      else enough = middle;
    }
    return us + sign * enough;
  }

  /** A ledger that covers two times. It doubles in size, so that few are built. */
  #cover(firstUs: number, lastUs: number): Ledger {
    const [first, end] = [dayOf(firstUs), dayOf(lastUs) + 1];
    const ledger = this.#ledger;
    if (ledger && ledger.firstDay <= first && end <= ledger.endDay) return ledger;
    const more = ledger ? ledger.endDay - ledger.firstDay : 64;
    const [from, to] = [ledger?.firstDay ?? first, ledger?.endDay ?? end];
    const [firstDay, endDay] = [first < from ? first - more : from, end > to ? end + more : to];
    this.#ledger = endDay - firstDay <= MOST_DAYS ? this.#build(firstDay, endDay) : this.#build(first, end);
    return this.#ledger;
  }

  #build(firstDay: number, endDay: number): Ledger {
    if (endDay - firstDay > MOST_DAYS + 1) throw tooFar(firstDay, endDay - 1);
    const days: WorkedDay[] = [];
    // Offsets from UTC are about a day at most.
    for (let day = firstDay - 2; day <= endDay + 1; day += 1) {
      const worked = this.#workedDay(day);
      if (worked) days.push(worked);
    }
    return new Ledger(firstDay, endDay, days);
  }

  /** The working time of a day, which is given as days since 1970. */
  #workedDay(day: number): WorkedDay | undefined {
    const regular = this.#week[weekdayOf(day)] as Windows;
    if (regular.length === 0) return undefined;
    const special = this.#holidaysOf(new Date(day * MS_PER_DAY).getUTCFullYear()).get(day);
    const intervals = this.#instantsOf(day, special ?? regular);
    const length = lengthOf(intervals);
    if (length === 0) return undefined;
    const whole = special ? lengthOf(this.#instantsOf(day, regular)) : length;
    return { intervals, length, whole: whole || length };
  }

  /** The intervals of the hours of a day, one for each offset from UTC on that day. */
  #instantsOf(day: number, windows: Windows): readonly WorkInterval[] {
    const midnight = day * US_PER_DAY;
    const intervals: WorkInterval[] = [];
    for (const { fromUs, toUs, offsetUs } of this.#clock.offsetsBetween(
      midnight - US_PER_DAY,
      midnight + 2 * US_PER_DAY,
    )) {
      for (const [opens, closes] of windows) {
        const start = Math.max(midnight + opens - offsetUs, fromUs);
        const end = Math.min(midnight + closes - offsetUs, toUs);
        if (start < end) intervals.push([start, end]);
      }
    }
    return intervals;
  }
}

function tooFar(firstDay: number, lastDay: number): ArgumentError {
  const [first, last] = [firstDay, lastDay].map((day) => formatInstant(day * US_PER_DAY).replace(/T.*/, ""));
  return new ArgumentError(`Working time from ${first} to ${last} is more than 400 years.`, {
    hint: "Use a nearer date. Omit it if the end is open.",
    facts: { from: first, to: last },
  });
}

/** The hours of a day, ascending. */
type Windows = readonly WorkInterval[];

/** Working hours on holidays, by days since 1970. */
type Holidays = ReadonlyMap<number, Windows>;

/** 1970 began on a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function usOf(instant: Instant): number {
  if (instant instanceof Date && !Number.isNaN(instant.getTime())) return instant.getTime() * 1000;
  const read = typeof instant === "string" ? parseInstant(instant) : undefined;
  if (read?.zoned) return read.us;
  throw new ArgumentError(`Invalid instant ${showValue(instant)}.`, {
    hint: 'Use a Date, or an instant with its zone ("2025-06-30T12:00:00Z").',
  });
}

function finite(amount: number, unit: string): number {
  if (typeof amount === "number" && Number.isFinite(amount)) return amount;
  throw new ArgumentError(`Invalid number of ${unit}: ${showValue(amount)}.`);
}

function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return timeZone;
  } catch (cause) {
    const meant = nearestName(timeZone, Intl.supportedValuesOf("timeZone"));
    throw new ArgumentError(`calendar(): unknown time zone ${showValue(timeZone)}.`, {
      hint: meant === undefined ? 'Use an IANA name: timeZone: "Europe/Berlin".' : `Did you mean ${showValue(meant)}?`,
      cause,
    });
  }
}

/** The hours of each weekday, from Sunday on. */
function weekOf(hours: NonNullable<CalendarOptions["hours"]>, weekend: CalendarOptions["weekend"]): readonly Windows[] {
  if (typeof hours === "string" || isList(hours)) {
    const [free, windows] = [(weekend ?? [0, 6]).map(weekdayNumber), windowsOf(hours, "hours")];
    return weekdays.map((_, day) => (free.includes(day) ? [] : windows));
  }
  const named = new Map(
    Object.entries(hours).map(([name, hoursOfDay]) => [
      weekdayNumber(name),
      windowsOf(hoursOfDay as WorkingHours, `hours of ${name}`),
    ]),
  );
  const free = weekend?.map(weekdayNumber);
  return weekdays.map((name, day) => {
    const windows = named.get(day);
    if (windows && free?.includes(day)) {
      throw new ArgumentError(`calendar(): ${name} is in both \`hours\` and \`weekend\`.`, {
        hint: "Remove it from one of them.",
      });
    }
    if (!windows && free && !free.includes(day)) {
      throw new ArgumentError(`calendar(): ${name} is missing from \`hours\`.`, {
        hint: "Add its hours, or add it to `weekend`.",
      });
    }
    return windows ?? [];
  });
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

/** Day of the week by number or by name, which may be shortened to three letters. */
function weekdayNumber(given: number | string): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 0 && given <= 6) return given;
  const name = typeof given === "string" ? given.toLowerCase() : "";
  const number = weekdays.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name);
  if (number >= 0) return number;
  throw new ArgumentError(`calendar(): unknown day of the week ${showValue(given)}.`, {
    hint: nameHint(given, weekdays, "Use 0 (Sunday) to 6 (Saturday), or names: sunday, monday, …"),
  });
}

const HOURS = /^(\d{1,2}):([0-5]\d)\s*-\s*(\d{1,2}):([0-5]\d)$/;

/** @param what name in errors */
function windowsOf(hours: WorkingHours, what: string): Windows {
  const texts: readonly unknown[] = isList(hours) ? hours : [hours];
  const windows = texts.map((given) => windowOf(given, what)).sort(([a], [b]) => a - b);
  if (windows.length === 0) {
    throw new ArgumentError(`calendar(): ${what} is empty.`, {
      hint: 'To mark a day off, add it to `weekend`, or list its date in `holidays`: { holidays: ["2025-12-25"] }.',
    });
  }
  windows.forEach(([start], index) => {
    const before = windows[index - 1];
    if (!before || before[1] <= start) return;
    throw new ArgumentError(`calendar(): ${what} overlap: ${showValue(texts)}.`, {
      hint: 'List each hour once: ["08:00-12:00", "13:00-17:00"].',
    });
  });
  return windows;
}

function windowOf(given: unknown, what: string): WorkInterval {
  const match = typeof given === "string" ? HOURS.exec(given.trim()) : null;
  const [opens, closes] = [1, 3].map((index) => 60 * Number(match?.[index]) + Number(match?.[index + 1])) as [
    number,
    number,
  ];
  if (!match || !(opens < 24 * 60) || !(closes <= 24 * 60)) {
    throw new ArgumentError(`calendar(): invalid hours ${showValue(given)} in ${what}.`, {
      hint: 'Use "08:00-17:00", or "00:00-24:00" for a whole day.',
    });
  }
  if (closes <= opens) {
    throw new ArgumentError(`calendar(): the hours ${showValue(given)} in ${what} end before they start.`, {
      hint: 'Split hours at midnight: ["22:00-24:00", "00:00-06:00"].',
    });
  }
  return [(opens * US_PER_HOUR) / 60, (closes * US_PER_HOUR) / 60];
}

/** The holidays of a year, or of all years. */
function holidayRule(holidays: NonNullable<CalendarOptions["holidays"]>): (year: number) => Holidays {
  if (typeof holidays === "function") {
    const byYear = new Map<number, Holidays>();
    return (year) => {
      const ofYear = byYear.get(year) ?? holidaysOf(holidays(year), year);
      byYear.set(year, ofYear);
      return ofYear;
    };
  }
  const lists = Array.isArray(holidays)
    ? [holidaysOf(holidays as HolidayList)]
    : Object.entries(holidays).map(([year, listOfYear]) => holidaysOf(listOfYear as HolidayList, yearOf(year)));
  const all = new Map(lists.flatMap((holidaysOfList) => [...holidaysOfList]));
  return () => all;
}

function yearOf(key: string): number {
  if (/^\d{4}$/.test(key)) return Number(key);
  throw new ArgumentError(`calendar(): invalid year ${showValue(key)} in holidays.`, {
    hint: 'Use lists by year: { holidays: { 2025: ["2025-12-25"] } }.',
  });
}

/** @param year the year of all dates, if they are given by year */
function holidaysOf(given: HolidayList, year?: number): Holidays {
  if (!Array.isArray(given)) {
    throw new ArgumentError(
      `calendar(): invalid holidays${year === undefined ? "" : ` of ${year}`}: ${showValue(given)}.`,
      {
        hint: 'Use an array of dates: ["2025-12-25"].',
      },
    );
  }
  const windowsOfDay = new Map<number, Windows>();
  for (const one of given as HolidayList) {
    const { date, hours }: Partial<ShortDay> = typeof one === "object" && one !== null ? one : { date: one };
    const us = typeof date === "string" ? dayUs(date) : undefined;
    if (us === undefined) {
      throw new ArgumentError(`calendar(): invalid date ${showValue(one)} in holidays${whyNoDay(date)}.`, {
        hint: 'Use dates such as "2025-12-25", or { date: "2025-12-24", hours: "08:00-12:00" }.',
      });
    }
    if (year !== undefined && !String(date).startsWith(String(year).padStart(4, "0"))) {
      throw new ArgumentError(`calendar(): ${showValue(date)} is in the holidays of ${year}.`, {
        hint: `Move it to the list of its year: { holidays: { ${String(date).slice(0, 4)}: [${showValue(date)}] } }.`,
      });
    }
    const windows = hours === undefined ? [] : windowsOf(hours, `hours of ${date}`);
    const before = windowsOfDay.get(us / US_PER_DAY);
    if (before && JSON.stringify(before) !== JSON.stringify(windows)) {
      throw new ArgumentError(`calendar(): ${showValue(date)} is in holidays twice, with different hours.`, {
        hint: "Remove one of them.",
      });
    }
    windowsOfDay.set(us / US_PER_DAY, windows);
  }
  return windowsOfDay;
}
