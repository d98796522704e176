import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, list, numeric, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Choice, type Control, createControl } from "./controls/control.js";
import { listChoice } from "./controls/list-choice.js";

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
