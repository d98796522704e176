// Working time: which days and hours are worked in a time zone, and how much of them lies between two instants.
import { ArgumentError } from "../../core/errors.js";
import {
  dateOf,
  dayUs,
  formatInstant,
  MS_PER_DAY,
  parseInstant,
  US_PER_DAY,
  US_PER_HOUR,
  whyNoDay,
} from "../../core/instant.js";
import { nameHint, nearestName } from "../../core/nearest-name.js";
import { checkOptions, list, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { LocalClock } from "./local-clock.js";
import { dayOf, Ledger, lengthOf, NANO_PER_DAY, type Stretch, type WorkedDay } from "./working-ledger.js";

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** A day of the week. */
export type WeekdayName = (typeof weekdays)[number];

/** Hours of a day by its clocks: `"08:00-17:00"`, or several without overlap: `["08:00-12:00", "13:00-17:00"]`. The end of a day is `24:00`. */
export type WorkingHours = string | readonly string[];

/** A holiday on which some hours are worked. */
export interface ShortDay {
  /** The day: `"2025-12-24"`. */
  readonly date: string;
  /** What is worked then, in place of the hours of the weekday. */
  readonly hours: WorkingHours;
}

/** Holidays: dates (`"2025-12-25"`) on which nobody works, and days of other hours. */
export type HolidayList = readonly (string | ShortDay)[];

/**
 * Gives the holidays of a year.
 *
 * @param year asked about once
 */
export type YearlyHolidays = (year: number) => HolidayList;

/** What `calendar()` takes. */
export interface CalendarOptions {
  /** IANA time zone of the hours and dates: `"Europe/Berlin"`. */
  readonly timeZone: string;
  /**
   * Days of the week on which nobody works: 0 (Sunday) to 6 (Saturday), as `Date` counts, or names. Saturday and Sunday by
   * default; where `hours` are given by weekday, the days that they leave out.
   */
  readonly weekend?: readonly (number | string)[];
  /**
   * Days on which nobody works, or other hours are worked: a list; lists by year (`{ 2025: ["2025-12-25"] }`); or a function
   * that gives the list of a year. On a weekend a holiday changes nothing, whatever its hours. None by default.
   */
  readonly holidays?: HolidayList | Readonly<Record<number, HolidayList>> | YearlyHolidays;
  /** Hours of every working day, or of each by its name: `{ monday: "08:00-17:00", … }`. The whole day by default. */
  readonly hours?: WorkingHours | Readonly<Partial<Record<WeekdayName, WorkingHours>>>;
}

/** An instant: a `Date`, or an ISO 8601 text with its zone. */
export type Instant = Date | string;

/**
 * A calendar of working days and hours: `calendar({ timeZone: "Europe/Berlin", hours: "08:00-17:00", holidays: ["2025-12-25"] })`.
 * Questions about a history take it as `calendar`.
 *
 * @throws ArgumentError for an unknown zone or weekday, hours that overlap or end before they begin, a holiday that is no
 * date, and a calendar on which nobody ever works
 */
export function calendar(options: CalendarOptions): WorkingCalendar {
  checkOptions<CalendarOptions>("calendar()", options, rules);
  if (options?.timeZone === undefined) {
    throw new ArgumentError("calendar() needs timeZone: whose clocks show the hours and dates.", {
      hint: 'Give an IANA name: calendar({ timeZone: "Europe/Berlin" }).',
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

/** 400 years. A holiday comes again by then, and a ledger of more days would take much memory. */
const MOST_DAYS = 146_097;

/**
 * Working time by a calendar, which does not change. An instant is worked where the clocks of the time zone show a time
 * within the hours of that day: of a day on which clocks change, an hour that is skipped is not worked, and one that comes
 * twice is worked twice.
 *
 * A **day** is the hours of one working day, however many those are: of a stretch, the share of each day's own hours that
 * lies in it. Where a holiday has hours of its own, the share is that of the hours of its weekday: with four of eight it is
 * half a day. Days are told to nine digits.
 */
export class WorkingCalendar {
  /** IANA time zone of the hours. */
  readonly timeZone: string;
  /** Days of a week without holidays on which there is work: what a week of working days is. */
  readonly daysPerWeek: number;
  /** Hours by weekday; none on weekends. */
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
      throw new ArgumentError("calendar() has no working day: all days of the week are weekend.", {
        hint: "Name fewer days in weekend.",
      });
    }
    this.#holidaysOf = holidayRule(holidays);
  }

  /** Whether it is working time at an instant. The end of hours is not. */
  isWorking(instant: Instant): boolean {
    const us = usOf(instant);
    return this.workedUs(us, us + 1) > 0;
  }

  /** Hours of working time from one instant to another; negative where the second is earlier. */
  hoursBetween(from: Instant, to: Instant): number {
    return this.workedUs(usOf(from), usOf(to)) / US_PER_HOUR;
  }

  /** Working days from one instant to another; negative where the second is earlier. */
  daysBetween(from: Instant, to: Instant): number {
    return this.workedNano(usOf(from), usOf(to)) / NANO_PER_DAY;
  }

  /**
   * The instant so many working hours later: the first at which they are worked. Less than 0 goes back, to the last instant
   * from which so many are worked. With 0 it is the instant itself.
   *
   * @param hours any number
   */
  addHours(instant: Instant, hours: number): Date {
    return dateOf(
      this.#after(usOf(instant), finite(hours, "hours") * US_PER_HOUR, (from, to) => this.workedUs(from, to)),
    );
  }

  /**
   * The instant so many working days later, as `addHours`.
   *
   * @param days any number
   */
  addDays(instant: Instant, days: number): Date {
    return dateOf(this.usAfter(usOf(instant), finite(days, "days") * NANO_PER_DAY));
  }

  /** The instant itself if it is working time, else when the next begins. */
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
   * Working days between two instants, in thousand millionths: a whole number.
   *
   * @internal
   */
  workedNano(fromUs: number, toUs: number): number {
    if (!Number.isFinite(fromUs) || !Number.isFinite(toUs)) return fromUs === toUs ? 0 : toUs - fromUs;
    const ledger = this.#cover(Math.min(fromUs, toUs), Math.max(fromUs, toUs));
    return ledger.nanoAt(toUs) - ledger.nanoAt(fromUs);
  }

  /**
   * When so many thousand millionths of working days have passed, to the millisecond.
   *
   * @internal
   */
  usAfter(us: number, nano: number): number {
    if (nano === 0) return us;
    const found = this.#after(us, nano, (from, to) => this.workedNano(from, to)) / 1000;
    return (nano > 0 ? Math.ceil(found) : Math.floor(found)) * 1000;
  }

  /**
   * Each day of UTC between two times, for statements of SQL.
   *
   * @internal
   */
  ledger(firstUs: number, lastUs: number): Ledger {
    return this.#build(dayOf(firstUs), dayOf(lastUs) + 1);
  }

  /** The first time at which so much is worked since another one, or the last since which it is. */
  #after(us: number, length: number, worked: (fromUs: number, toUs: number) => number): number {
    const [sign, wanted] = [Math.sign(length), Math.abs(length)];
    if (sign === 0) return us;
    const since = (distance: number) => sign * worked(us, us + sign * distance);
    let [less, enough] = [0, 8 * US_PER_DAY];
    while (since(enough) < wanted) {
      less = enough;
      enough *= 2;
      if (enough > MOST_DAYS * US_PER_DAY) {
        throw new ArgumentError("So much working time does not pass in 400 years.", {
          hint: "Ask for less, or look whether all days are holidays.",
        });
      }
    }
    while (enough - less > 1) {
      const middle = Math.floor((less + enough) / 2);
      if (since(middle) < wanted) less = middle;
      else enough = middle;
    }
    return us + sign * enough;
  }

  /** A ledger that covers two times. It grows by as much as it has, so that few are built. */
  #cover(firstUs: number, lastUs: number): Ledger {
    const [first, end] = [dayOf(firstUs), dayOf(lastUs) + 1];
    const known = this.#ledger;
    if (known && known.firstDay <= first && end <= known.endDay) return known;
    const more = known ? known.endDay - known.firstDay : 64;
    const [from, to] = [known?.firstDay ?? first, known?.endDay ?? end];
    const [firstDay, endDay] = [first < from ? first - more : from, end > to ? end + more : to];
    this.#ledger = endDay - firstDay <= MOST_DAYS ? this.#build(firstDay, endDay) : this.#build(first, end);
    return this.#ledger;
  }

  #build(firstDay: number, endDay: number): Ledger {
    if (endDay - firstDay > MOST_DAYS + 1) throw tooFar(firstDay, endDay - 1);
    const days: WorkedDay[] = [];
    // Clocks are a day and more away from UTC nowhere.
    for (let day = firstDay - 2; day <= endDay + 1; day += 1) {
      const worked = this.#workedDay(day);
      if (worked) days.push(worked);
    }
    return new Ledger(firstDay, endDay, days);
  }

  /** What is worked on a day by its date, which is days since 1970. */
  #workedDay(day: number): WorkedDay | undefined {
    const regular = this.#week[weekdayOf(day)] as Windows;
    if (regular.length === 0) return undefined;
    const special = this.#holidaysOf(new Date(day * MS_PER_DAY).getUTCFullYear()).get(day);
    const stretches = this.#instantsOf(day, special ?? regular);
    const length = lengthOf(stretches);
    if (length === 0) return undefined;
    const whole = special ? lengthOf(this.#instantsOf(day, regular)) : length;
    return { stretches, length, whole: whole || length };
  }

  /** When clocks show the hours of a day, for each time that they are ahead of UTC by as much as they are then. */
  #instantsOf(day: number, windows: Windows): readonly Stretch[] {
    const midnight = day * US_PER_DAY;
    const stretches: Stretch[] = [];
    for (const { fromUs, toUs, offsetUs } of this.#clock.offsetsBetween(
      midnight - US_PER_DAY,
      midnight + 2 * US_PER_DAY,
    )) {
      for (const [opens, closes] of windows) {
        const start = Math.max(midnight + opens - offsetUs, fromUs);
        const end = Math.min(midnight + closes - offsetUs, toUs);
        if (start < end) stretches.push([start, end]);
      }
    }
    return stretches;
  }
}

function tooFar(firstDay: number, lastDay: number): ArgumentError {
  const [first, last] = [firstDay, lastDay].map((day) => formatInstant(day * US_PER_DAY).replace(/T.*/, ""));
  return new ArgumentError(`A calendar counts working time of at most 400 years, not from ${first} to ${last}.`, {
    hint: "Give a nearer date. Omit it if the end is open.",
    facts: { from: first, to: last },
  });
}

/** The hours of a day, ascending. */
type Windows = readonly Stretch[];

/** What is worked on holidays, by days since 1970. */
type Holidays = ReadonlyMap<number, Windows>;

/** 1970 began on a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function usOf(instant: Instant): number {
  if (instant instanceof Date && !Number.isNaN(instant.getTime())) return instant.getTime() * 1000;
  const read = typeof instant === "string" ? parseInstant(instant) : undefined;
  if (read?.zoned) return read.us;
  throw new ArgumentError(`${showValue(instant)} is no instant.`, {
    hint: 'Give a Date, or an instant with its zone ("2025-06-30T12:00:00Z").',
  });
}

function finite(amount: number, unit: string): number {
  if (typeof amount === "number" && Number.isFinite(amount)) return amount;
  throw new ArgumentError(`A calendar adds a number of ${unit}, but got ${showValue(amount)}.`);
}

function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
    return timeZone;
  } catch (cause) {
    const meant = nearestName(timeZone, Intl.supportedValuesOf("timeZone"));
    throw new ArgumentError(`calendar(): ${showValue(timeZone)} is not a known time zone.`, {
      hint: meant === undefined ? 'Give an IANA name: "Europe/Berlin".' : `Did you mean ${showValue(meant)}?`,
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
    Object.entries(hours).map(([name, own]) => [
      weekdayNumber(name),
      windowsOf(own as WorkingHours, `hours of ${name}`),
    ]),
  );
  const free = weekend?.map(weekdayNumber);
  return weekdays.map((name, day) => {
    const windows = named.get(day);
    if (windows && free?.includes(day)) {
      throw new ArgumentError(`calendar(): ${name} has hours, and is of the weekend.`, {
        hint: `Leave it out of hours, or of weekend.`,
      });
    }
    if (!windows && free && !free.includes(day)) {
      throw new ArgumentError(`calendar(): hours says nothing of ${name}.`, {
        hint: `Give its hours, or name it in weekend.`,
      });
    }
    return windows ?? [];
  });
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

/** Days of the week by number or by name, of which three letters do. */
function weekdayNumber(given: number | string): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 0 && given <= 6) return given;
  const name = typeof given === "string" ? given.toLowerCase() : "";
  const found = weekdays.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name);
  if (found >= 0) return found;
  throw new ArgumentError(`calendar(): ${showValue(given)} is no day of the week.`, {
    hint: nameHint(given, weekdays, "Give 0 (Sunday) to 6 (Saturday), or names: sunday, monday, …"),
  });
}

const HOURS = /^(\d{1,2}):([0-5]\d)\s*-\s*(\d{1,2}):([0-5]\d)$/;

/** @param what they are, for errors */
function windowsOf(hours: WorkingHours, what: string): Windows {
  const texts: readonly unknown[] = isList(hours) ? hours : [hours];
  const windows = texts.map((given) => windowOf(given, what)).sort(([a], [b]) => a - b);
  if (windows.length === 0) {
    throw new ArgumentError(`calendar(): ${what} is an empty array.`, {
      hint: "A day on which nobody works is of weekend, or a holiday as a mere date.",
    });
  }
  windows.forEach(([start], place) => {
    const before = windows[place - 1];
    if (!before || before[1] <= start) return;
    throw new ArgumentError(`calendar(): ${what} overlap: ${showValue(texts)}.`, {
      hint: 'Give each hour once: ["08:00-12:00", "13:00-17:00"].',
    });
  });
  return windows;
}

function windowOf(given: unknown, what: string): Stretch {
  const match = typeof given === "string" ? HOURS.exec(given.trim()) : null;
  const [opens, closes] = [1, 3].map((place) => 60 * Number(match?.[place]) + Number(match?.[place + 1])) as [
    number,
    number,
  ];
  if (!match || !(opens < 24 * 60) || !(closes <= 24 * 60)) {
    throw new ArgumentError(`calendar(): ${showValue(given)} in ${what} are no hours of a day.`, {
      hint: 'Give them as "08:00-17:00", of a whole day as "00:00-24:00".',
    });
  }
  if (closes <= opens) {
    throw new ArgumentError(`calendar(): ${showValue(given)} in ${what} end before they begin.`, {
      hint: 'Of hours over midnight give both parts: ["22:00-24:00", "00:00-06:00"].',
    });
  }
  return [(opens * US_PER_HOUR) / 60, (closes * US_PER_HOUR) / 60];
}

/** The holidays of a year, or of all. */
function holidayRule(holidays: NonNullable<CalendarOptions["holidays"]>): (year: number) => Holidays {
  if (typeof holidays === "function") {
    const known = new Map<number, Holidays>();
    return (year) => {
      const own = known.get(year) ?? holidaysOf(holidays(year), year);
      known.set(year, own);
      return own;
    };
  }
  const lists = Array.isArray(holidays)
    ? [holidaysOf(holidays as HolidayList)]
    : Object.entries(holidays).map(([year, own]) => holidaysOf(own as HolidayList, yearOf(year)));
  const all = new Map(lists.flatMap((own) => [...own]));
  return () => all;
}

function yearOf(key: string): number {
  if (/^\d{4}$/.test(key)) return Number(key);
  throw new ArgumentError(`calendar(): ${showValue(key)} in holidays is no year.`, {
    hint: 'Give lists by year: { 2025: ["2025-12-25"] }.',
  });
}

/** @param year that all are of, if they are given by year */
function holidaysOf(given: HolidayList, year?: number): Holidays {
  if (!Array.isArray(given)) {
    throw new ArgumentError(
      `calendar(): the holidays${year === undefined ? "" : ` of ${year}`} are ${showValue(given)}.`,
      {
        hint: 'Give an array of dates: ["2025-12-25"].',
      },
    );
  }
  const found = new Map<number, Windows>();
  for (const one of given as HolidayList) {
    const { date, hours }: Partial<ShortDay> = typeof one === "object" && one !== null ? one : { date: one };
    const us = typeof date === "string" ? dayUs(date) : undefined;
    if (us === undefined) {
      throw new ArgumentError(`calendar(): ${showValue(one)} in holidays is no date${whyNoDay(date)}.`, {
        hint: 'Give dates as "2025-12-25", or { date: "2025-12-24", hours: "08:00-12:00" }.',
      });
    }
    if (year !== undefined && !String(date).startsWith(String(year).padStart(4, "0"))) {
      throw new ArgumentError(`calendar(): ${showValue(date)} is given as a holiday of ${year}.`);
    }
    const windows = hours === undefined ? [] : windowsOf(hours, `hours of ${date}`);
    const before = found.get(us / US_PER_DAY);
    if (before && JSON.stringify(before) !== JSON.stringify(windows)) {
      throw new ArgumentError(`calendar(): holidays has ${showValue(date)} twice, with other hours.`);
    }
    found.set(us / US_PER_DAY, windows);
  }
  return found;
}
