// The unit that lengths of time are told in: days of 24 hours, or the working time of a calendar.
import { US_PER_DAY, US_PER_HOUR } from "../../core/instant.js";
import { type OptionRule, objectOf } from "../../core/options.js";
import { type CalendarOptions, calendar, WorkingCalendar } from "./working-calendar.js";
import { NANO_PER_DAY } from "./working-ledger.js";

/** A calendar, or what `calendar()` makes one of. */
export type GivenCalendar = WorkingCalendar | CalendarOptions;

/** Option of questions that tell how long something took. */
export interface CalendarOption {
  /** A calendar by which lengths are working time: `days` are working days then. By default days have 24 hours. */
  readonly calendar?: GivenCalendar;
}

/** What the option takes. What is wrong with the options of a calendar, `calendar()` says itself. */
export const calendarRule: OptionRule = {
  ...objectOf("what calendar() gives, or its options"),
  schema: { type: "object", required: ["timeZone"] },
};

/** Lengths of time as numbers that add up, whole ones. */
export interface TimeUnit {
  readonly name: "days" | "hours";
  /** From one time to another, microseconds since 1970; negative where the second is earlier. */
  length(fromUs: number, toUs: number): number;
  /** How many of a length are one of the unit. */
  readonly whole: number;
}

/** A length in its unit; null if it has no beginning that is known. */
export function lengthHeld(length: number, whole: number): number | null {
  return Number.isFinite(length) ? length / whole : null;
}

/** Days, by which times can be found too. */
export interface DayUnit extends TimeUnit {
  /** The time that is so much later, earlier for less than 0. */
  after(us: number, length: number): number;
}

const elapsed = (fromUs: number, toUs: number) => toUs - fromUs;

/** The calendar that an option gives. */
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

/** The units that tables tell lengths in: days, and by a calendar also hours, since its days are not all as long. */
export function toldUnits(working: WorkingCalendar | undefined): readonly TimeUnit[] {
  return working ? [dayUnit(working), hourUnit(working)] : [dayUnit(working)];
}

/**
 * A function that tells how long it is from one time to another, both in microseconds since 1970.
 *
 * @param working days have 24 hours without
 */
export function elapsedIn(unit: "days" | "hours", working?: WorkingCalendar): (fromUs: number, toUs: number) => number {
  const { length, whole } = unit === "days" ? dayUnit(working) : hourUnit(working);
  return (fromUs, toUs) => length(fromUs, toUs) / whole;
}
