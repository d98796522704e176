import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, list, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type Control, createControl } from "./controls/control.js";
import { listChoice } from "./controls/list-choice.js";

/** Options of `select()`. */
export interface SelectOptions<Value> {
  /** What can be chosen: texts, numbers, dates, or anything else that has a text of its own. */
  readonly options: readonly Value[];
  /** What stands before it. Default "Value". */
  readonly label?: string;
  /** What is chosen at first. Default: the first option. */
  readonly value?: Value;
}

const rules: OptionRules<SelectOptions<unknown>> = { options: list, label: text, value: anything };

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
  checkOptions<SelectOptions<unknown>>(call, options, rules);
  if (!Array.isArray(options?.options)) {
    throw new ArgumentError(`select() takes a list of options, got ${showValue(options?.options)}.`);
  }
  const { options: values, label = "Value", value = values[0] } = options;
  const choice = listChoice({ call, kind: "select", label, values, first: value });
  return createControl(choice, run as (value: unknown) => unknown) as Control<Value>;
}
