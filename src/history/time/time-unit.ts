// Units of lengths of time: days of 24 hours, or the working time of a calendar.
import { US_PER_DAY, US_PER_HOUR } from "../../core/instant.js";
import { type OptionRule, objectOf } from "../../core/options.js";
import { type CalendarOptions, calendar, WorkingCalendar } from "./working-calendar.js";
import { NANO_PER_DAY } from "./working-ledger.js";

/** A calendar, or the options of `calendar()`. */
export type GivenCalendar = WorkingCalendar | CalendarOptions;

/** Option of questions about lengths of time. */
export interface CalendarOption {
  /** A calendar for lengths in working time: `days` are working days then. Default: days of 24 hours. */
  readonly calendar?: GivenCalendar;
}

/** Rule for the option. `calendar()` itself reports invalid options of a calendar. */
export const calendarRule: OptionRule = {
  ...objectOf("what calendar() gives, or its options"),
  schema: { type: "object", required: ["timeZone"] },
};

/** Lengths of time as integers, which can be summed exactly. */
export interface TimeUnit {
  readonly name: "days" | "hours";
  /** Length from one time to another, in microseconds since 1970; negative if the second is earlier. */
  length(fromUs: number, toUs: number): number;
  /** Length of one unit. */
  readonly whole: number;
}

/** A length in its unit; null if its start is unknown. */
export function lengthHeld(length: number, whole: number): number | null {
  return Number.isFinite(length) ? length / whole : null;
}

/** Days, with the inverse operation. */
export interface DayUnit extends TimeUnit {
  /** The time after a length, or before if it is negative. */
  after(us: number, length: number): number;
}

const elapsed = (fromUs: number, toUs: number) => toUs - fromUs;

/** The calendar in an option. */
export function givenCalendar({ calendar: given }: CalendarOption): WorkingCalendar | undefined {
  return given === undefined || given instanceof WorkingCalendar ? given : calendar(given);
}

/** Days of 24 hours, or working days. */
export function dayUnit(working: WorkingCalendar | undefined): DayUnit {
  if (!working) return { name: "days", length: elapsed, after: (us, length) => us + length, whole: US_PER_DAY };
  const length = (fromUs: number, toUs: number) => working.workedNano(fromUs, toUs);
  return { name: "days", length, after: (us, nano) => working.usAfter(us, nano), whole: NANO_PER_DAY };
}

/** Hours, or working hours. */
function hourUnit(working: WorkingCalendar | undefined): TimeUnit {
  if (!working) return { name: "hours", length: elapsed, whole: US_PER_HOUR };
  return { name: "hours", length: (fromUs, toUs) => working.workedUs(fromUs, toUs), whole: US_PER_HOUR };
}

/** The units of lengths in tables: days, and with a calendar also hours, because its days have different lengths. */
export function toldUnits(working: WorkingCalendar | undefined): readonly TimeUnit[] {
  return working ? [dayUnit(working), hourUnit(working)] : [dayUnit(working)];
}

/**
 * Returns a function for the length between two times, both in microseconds since 1970.
 *
 * @param working without it, days have 24 hours
 */
export function elapsedIn(unit: "days" | "hours", working?: WorkingCalendar): (fromUs: number, toUs: number) => number {
  const { length, whole } = unit === "days" ? dayUnit(working) : hourUnit(working);
  return (fromUs, toUs) => length(fromUs, toUs) / whole;
}
