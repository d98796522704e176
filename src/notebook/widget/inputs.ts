import { isDate } from "../../api/property-types.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDayOrIso, inUtc } from "../../core/format/format-date.js";
import { anything, checkOptions, list, numeric, type OptionRule, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Choice, type Control, createControl } from "./controls/control.js";

/** Options of `slider()` over dates, or over other ordered values. */
export interface DateSliderOptions<Value> {
  /** Values of the slider, from left to right: strings, Dates, Temporal's dates. */
  readonly dates: readonly Value[];
  /** Label before the slider. Default: "Date". */
  readonly label?: string;
  /** First value. Default: the last date. */
  readonly value?: Value;
}

/** Options of `slider()` over numbers. */
export interface NumberSliderOptions {
  /** Number at the left. */
  readonly min: number;
  /** Number at the right. */
  readonly max: number;
  /** Difference between two values. Default: 1. */
  readonly step?: number;
  /** Label before the slider. Default: "Value". */
  readonly label?: string;
  /** First value. Default: `min`. */
  readonly value?: number;
}

type AnyOptions = Partial<DateSliderOptions<unknown> & NumberSliderOptions>;

const dateRules: OptionRules<DateSliderOptions<unknown>> = { dates: list, label: text, value: anything };
const numberRules: OptionRules<NumberSliderOptions> = {
  min: numeric,
  max: numeric,
  step: { takes: "a number above 0", accepts: (value) => numeric.accepts(value) && Number(value) > 0 },
  label: text,
  value: numeric,
};

/**
 * Returns a slider that runs a function with the selected date, and shows its result. If values change faster than the
 * function runs, only the last one is computed. The page needs pip's anywidget; elsewhere, the slider shows the result of
 * the first value.
 *
 * @param options the dates
 * @param run called with a date; its result, output and errors are shown below the slider
 * @returns the slider; end the cell with it to display it
 * @throws ArgumentError for unknown options, for no dates, and for a first value that is not in the list
 * @example
 * slider({ dates: ["2025-03-31", "2025-06-30"] }, (date) => history.asOf(date).groupby("STATUS").count())
 */
export function slider<Value>(options: DateSliderOptions<Value>, run: (date: Value) => unknown): Control<Value>;
/**
 * Returns a slider that runs a function with the selected number, and shows its result.
 *
 * @param options the numbers
 * @param run called with a number; its result, output and errors are shown below the slider
 * @returns the slider; end the cell with it to display it
 * @throws ArgumentError for unknown options, and for an empty range
 * @example
 * slider({ min: 1, max: 10 }, (count) => tickets.table.select("visible_id", "STATUS").slice(0, count))
 */
export function slider(options: NumberSliderOptions, run: (value: number) => unknown): Control<number>;
export function slider(options: AnyOptions, run: (value: never) => unknown): Control<never> {
  const call = "slider()";
  const accept = run as (value: unknown) => unknown;
  if (options?.dates === undefined) {
    checkOptions<NumberSliderOptions>(call, options as NumberSliderOptions, numberRules);
    return createControl(numberChoice(call, numbersOf(options)), accept) as Control<never>;
  }
  checkOptions<DateSliderOptions<unknown>>(call, options as DateSliderOptions<unknown>, dateRules);
  const { dates, label = "Date", value = dates.at(-1) } = options;
  return createControl(
    listChoice({ call, kind: "slider", label, values: dates, first: value }),
    accept,
  ) as Control<never>;
}

function numbersOf({ min, max, step = 1, label = "Value", value = min }: AnyOptions) {
  if (min === undefined || max === undefined || value === undefined) {
    throw new ArgumentError("slider() needs dates, or min and max.", {
      hint: "For example: slider({ dates }, (date) => …) or slider({ min: 0, max: 10 }, (value) => …).",
    });
  }
  if (!(min < max)) throw new ArgumentError(`slider(): min ${showValue(min)} must be below max ${showValue(max)}.`);
  if (value < min || value > max) {
    throw new ArgumentError(`slider(): value ${showValue(value)} is not between ${min} and ${max}.`);
  }
  return { min, max, step, label, value };
}

/** Numbers from `min` to `max`. */
interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly label: string;
  /** First value. */
  readonly value: number;
}

/** The choice of a slider over numbers. */
function numberChoice(call: string, { min, max, step, label, value }: NumberRange): Choice<unknown> {
  const isWithin = (at: unknown): at is number => typeof at === "number" && at >= min && at <= max;
  return {
    ...{ call, label, start: value },
    state: { kind: "slider", min, max, step },
    valueAt: (at) => (isWithin(at) ? { value: at } : undefined),
    placeOf: (requested) => (isWithin(requested) ? requested : undefined),
    textOf: String,
  };
}

/** Options of `select()`. */
export interface SelectOptions<Value> {
  /** Options to choose from: strings, numbers, dates, or other values with a string form. */
  readonly options: readonly Value[];
  /** Label before the list. Default: "Value". */
  readonly label?: string;
  /** First value. Default: the first option. */
  readonly value?: Value;
}

const selectRules: OptionRules<SelectOptions<unknown>> = { options: list, label: text, value: anything };

/**
 * Returns a list of options that runs a function with the selected option, and shows its result. The page needs pip's
 * anywidget; elsewhere, the list shows the result of the first value.
 *
 * @param options the options
 * @param run called with an option; its result, output and errors are shown below the list
 * @returns the list; end the cell with it to display it
 * @throws ArgumentError for unknown options, for an empty list, and for a first value that is not in the list
 * @example
 * select({ options: ["PRIORITY", "STATUS"] }, (column) => tickets.table.groupby(column).count())
 */
export function select<Value>(options: SelectOptions<Value>, run: (value: Value) => unknown): Control<Value> {
  const call = "select()";
  checkOptions<SelectOptions<unknown>>(call, options, selectRules);
  if (!Array.isArray(options?.options)) {
    throw new ArgumentError(`select(): options must be an array, got ${showValue(options?.options)}.`);
  }
  const { options: values, label = "Value", value = values[0] } = options;
  const choice = listChoice({ call, kind: "select", label, values, first: value });
  return createControl(choice, run as (value: unknown) => unknown) as Control<Value>;
}

/** Options of `dateInput()`. Dates are strings, such as "2026-01-31". */
export interface DateInputOptions {
  /** First date. */
  readonly value: string;
  /** Earliest date. Default: any. */
  readonly min?: string;
  /** Latest date. Default: any. */
  readonly max?: string;
  /** Label before the field. Default: "Date". */
  readonly label?: string;
}

const day: OptionRule = { takes: 'a date such as "2026-01-31"', accepts: isDate };
const dateInputRules: OptionRules<DateInputOptions> = { value: day, min: day, max: day, label: text };

/**
 * Returns a date field that runs a function with the date, and shows its result. The page needs pip's anywidget; elsewhere,
 * the field shows the result of the first date.
 *
 * @param options the first date, and the range of dates
 * @param run called with a date such as "2026-01-31"; its result, output and errors are shown below the field
 * @returns the field; end the cell with it to display it
 * @throws ArgumentError for unknown options, for an invalid date, and for a first date out of range
 * @example
 * dateInput({ value: "2026-01-31" }, (date) => history.asOf(date).groupby("STATUS").count())
 */
export function dateInput(options: DateInputOptions, run: (date: string) => unknown): Control<string> {
  const call = "dateInput()";
  checkOptions(call, options, dateInputRules);
  if (options?.value === undefined)
    throw new ArgumentError("dateInput(): value is missing.", { hint: 'Pass a date: { value: "2026-01-31" }.' });
  const { value, min = "", max = "", label = "Date" } = options;
  // Dates with four-digit years have the order of their strings.
  const isWithin = (at: unknown): at is string => isDate(at) && at >= min && (max === "" || at <= max);
  if (!isWithin(value)) {
    throw new ArgumentError(
      `dateInput(): value ${showValue(value)} is not a date in the range ${min || "…"} to ${max || "…"}.`,
    );
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

/** Values that are chosen by index. */
interface ListParts {
  readonly call: string;
  readonly kind: "slider" | "select";
  readonly label: string;
  readonly values: readonly unknown[];
  readonly first: unknown;
}

/**
 * The choice of a control over a list.
 *
 * @throws ArgumentError if the list is empty, or does not contain the first value
 */
function listChoice({ call, kind, label, values, first }: ListParts): Choice<unknown> {
  if (values.length === 0) throw new ArgumentError(`${call}: the list of values is empty.`);
  const texts = values.map(valueText);
  const placeOf = (value: unknown) => {
    const at = values.findIndex((each) => Object.is(each, value));
    // Dates of a table are different objects from those of the list.
    const index = at === -1 ? texts.indexOf(valueText(value)) : at;
    return index === -1 ? undefined : index;
  };
  const start = placeOf(first);
  if (start === undefined) throw new ArgumentError(`${call}: value ${showValue(valueText(first))} is not in the list.`);
  return {
    ...{ call, label, start, placeOf, textOf: valueText },
    state: { kind, texts },
    valueAt: (at) => (typeof at === "number" && Object.hasOwn(values, at) ? { value: values[at] } : undefined),
  };
}

/** Midnights, as in lists of dates, without their time. */
function valueText(value: unknown): string {
  return value instanceof Date ? formatDayOrIso(value, inUtc) : String(value);
}
