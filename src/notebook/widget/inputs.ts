import { ArgumentError } from "../../core/errors.js";
import { dayUs } from "../../core/instant.js";
import { anything, checkOptions, list, numeric, type OptionRule, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Choice, type Control, createControl } from "./controls/control.js";

/** Options of `slider()` over dates, or over anything else that comes in an order. */
export interface DateSliderOptions<Value> {
  /** What the slider goes through, from left to right: texts, Dates, Temporal's dates. */
  readonly dates: readonly Value[];
  /** What stands before it. Default "Date". */
  readonly label?: string;
  /** Where it stands at first. Default: the last date. */
  readonly value?: Value;
}

/** Options of `slider()` over numbers. */
export interface NumberSliderOptions {
  /** The number at the left. */
  readonly min: number;
  /** The number at the right. */
  readonly max: number;
  /** From one value to the next. Default 1. */
  readonly step?: number;
  /** What stands before it. Default "Value". */
  readonly label?: string;
  /** Where it stands at first. Default: `min`. */
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
 * A slider that runs a function with the date at which it stands, and shows what the function gives. While values come
 * faster than the function runs, only the last one is computed. The page needs pip's anywidget; elsewhere the slider
 * shows itself still, with its first value.
 *
 * @param options the dates
 * @param run called with a date; what it returns, shows and prints stands below the slider, and so does its error
 * @returns the slider, to be shown by the cell that ends with it
 * @throws ArgumentError for options that it does not have, no dates, and a first value that is not among them
 */
export function slider<Value>(options: DateSliderOptions<Value>, run: (date: Value) => unknown): Control<Value>;
/**
 * A slider that runs a function with the number at which it stands, and shows what the function gives.
 *
 * @param options the numbers
 * @param run called with a number; what it returns, shows and prints stands below the slider, and so does its error
 * @returns the slider, to be shown by the cell that ends with it
 * @throws ArgumentError for options that it does not have, and for a range without numbers
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
    throw new ArgumentError("slider() takes dates, or min and max.", {
      hint: "For example slider({ dates }, (date) => …) or slider({ min: 0, max: 10 }, (value) => …).",
    });
  }
  if (!(min < max)) throw new ArgumentError(`slider(): min ${showValue(min)} must be below max ${showValue(max)}.`);
  if (value < min || value > max) {
    throw new ArgumentError(`slider(): value ${showValue(value)} is not from ${min} to ${max}.`);
  }
  return { min, max, step, label, value };
}

/** Numbers from `min` to `max`. */
interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly label: string;
  /** The first value. */
  readonly value: number;
}

/** What a slider over numbers chooses from. */
function numberChoice(call: string, { min, max, step, label, value }: NumberRange): Choice<unknown> {
  const isWithin = (at: unknown): at is number => typeof at === "number" && at >= min && at <= max;
  return {
    ...{ call, label, start: value },
    state: { kind: "slider", min, max, step },
    valueAt: (at) => (isWithin(at) ? { value: at } : undefined),
    placeOf: (wanted) => (isWithin(wanted) ? wanted : undefined),
    textOf: String,
  };
}

/** Options of `select()`. */
export interface SelectOptions<Value> {
  /** What can be chosen: texts, numbers, dates, or anything else that has a text of its own. */
  readonly options: readonly Value[];
  /** What stands before it. Default "Value". */
  readonly label?: string;
  /** What is chosen at first. Default: the first option. */
  readonly value?: Value;
}

const selectRules: OptionRules<SelectOptions<unknown>> = { options: list, label: text, value: anything };

/**
 * A list of options that runs a function with the chosen one, and shows what the function gives. The page needs pip's
 * anywidget; elsewhere it shows itself still, with its first value.
 *
 * @param options what can be chosen
 * @param run called with an option; what it returns, shows and prints stands below the list, and so does its error
 * @returns the list, to be shown by the cell that ends with it
 * @throws ArgumentError for options that it does not have, nothing to choose from, and a first value that is not among it
 */
export function select<Value>(options: SelectOptions<Value>, run: (value: Value) => unknown): Control<Value> {
  const call = "select()";
  checkOptions<SelectOptions<unknown>>(call, options, selectRules);
  if (!Array.isArray(options?.options)) {
    throw new ArgumentError(`select() takes a list of options, got ${showValue(options?.options)}.`);
  }
  const { options: values, label = "Value", value = values[0] } = options;
  const choice = listChoice({ call, kind: "select", label, values, first: value });
  return createControl(choice, run as (value: unknown) => unknown) as Control<Value>;
}

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
const dateInputRules: OptionRules<DateInputOptions> = { value: day, min: day, max: day, label: text };

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
  checkOptions(call, options, dateInputRules);
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
  return typeof value === "string" && dayUs(value) !== undefined;
}

/** Values of which one is chosen by its place. */
interface ListParts {
  readonly call: string;
  readonly kind: "slider" | "select";
  readonly label: string;
  readonly values: readonly unknown[];
  readonly first: unknown;
}

/**
 * What a control chooses from that goes through a list.
 *
 * @throws ArgumentError if the list is empty, or has no such first value
 */
function listChoice({ call, kind, label, values, first }: ListParts): Choice<unknown> {
  if (values.length === 0) throw new ArgumentError(`${call} has nothing to choose from: its list is empty.`);
  const texts = values.map(valueText);
  const placeOf = (value: unknown) => {
    const at = values.findIndex((each) => Object.is(each, value));
    // Dates of a table are other objects than those of the list.
    const place = at === -1 ? texts.indexOf(valueText(value)) : at;
    return place === -1 ? undefined : place;
  };
  const start = placeOf(first);
  if (start === undefined) throw new ArgumentError(`${call}: its list has no value ${showValue(valueText(first))}.`);
  return {
    ...{ call, label, start, placeOf, textOf: valueText },
    state: { kind, texts },
    valueAt: (at) => (typeof at === "number" && Object.hasOwn(values, at) ? { value: values[at] } : undefined),
  };
}

/** Midnights, of which lists of dates are made, without their time. */
function valueText(value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString().replace(/T00:00:00\.000Z$/, "");
}
