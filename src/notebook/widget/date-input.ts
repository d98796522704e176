import { ArgumentError } from "../../core/errors.js";
import { checkOptions, type OptionRule, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Control, createControl } from "./controls/control.js";

/** Options of `dateInput()`. Dates are texts, such as "2026-01-31". */
export interface DateInputOptions {
  /** The date at first. */
  readonly value: string;
  /** The earliest date that can be chosen. Default: any. */
  readonly min?: string;
  /** The latest date that can be chosen. Default: any. */
  readonly max?: string;
  /** What stands before it. Default "Date". */
  readonly label?: string;
}

const day: OptionRule = { takes: 'a date such as "2026-01-31"', accepts: isDay };
const rules: OptionRules<DateInputOptions> = { value: day, min: day, max: day, label: text };

/**
 * A field for a date that runs a function with it, and shows what the function gives. The page needs pip's anywidget;
 * elsewhere it shows itself still, with its first date.
 *
 * @param options the first date, and the range of dates
 * @param run called with a date such as "2026-01-31"; what it returns, shows and prints stands below the field, and so
 * does its error
 * @returns the field, to be shown by the cell that ends with it
 * @throws ArgumentError for options that it does not have, for what is no date, and for a first date out of the range
 */
export function dateInput(options: DateInputOptions, run: (date: string) => unknown): Control<string> {
  const call = "dateInput()";
  checkOptions(call, options, rules);
  if (options?.value === undefined) throw new ArgumentError("dateInput() takes a date as its value.");
  const { value, min = "", max = "", label = "Date" } = options;
  // Dates of four-digit years are in the order of their texts.
  const isWithin = (at: unknown): at is string => isDay(at) && at >= min && (max === "" || at <= max);
  if (!isWithin(value)) {
    throw new ArgumentError(`dateInput(): value ${showValue(value)} is not from ${min || "ever"} to ${max || "ever"}.`);
  }
  const choice = {
    ...{ call, label, start: value },
    state: { kind: "date", min, max },
    valueAt: (at: unknown) => (isWithin(at) ? { value: at } : undefined),
    placeOf: (date: string) => (isWithin(date) ? date : undefined),
    textOf: String,
  };
  return createControl(choice, run);
}

/** Of the calendar, in years of four digits. */
function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
