import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { History } from "../../history/history.js";
import { tableRows, valueLabel } from "../values/table-rows.js";
import { optionOrder } from "../values/value-order.js";

/** What the last stage of a figure is called, and whether the caller said so. */
export interface LastStage {
  readonly label: string;
  readonly isGiven: boolean;
}

/**
 * The values that mean that a feature has reached the last stage: those that the figure counts under its label, as the log
 * has them. Of a table the label is all that there is.
 *
 * @throws ArgumentError for numbers of which nobody said that they are stages: the last one in the log need not be the goal
 */
export function lastStage(data: unknown, column: string, { label, isGiven }: LastStage): readonly unknown[] {
  if (!(data instanceof History)) return [label];
  const values = heldValues(data, column).filter((value) => valueLabel(value) === label);
  const isNumber = values.some((value) => typeof value === "number");
  if (!isGiven && isNumber && optionOrder(data, column, new Set([label])).length === 0) {
    throw new ArgumentError(`${showValue(column)} holds numbers, of which none is known to mean that all is done.`, {
      hint: `Say which are stages, first to last: { stages: [0, ${label}] }.`,
      facts: { column, option: "stages" },
    });
  }
  return values.length > 0 ? values : [label];
}

/** Every value that a feature ever held: what it holds, and what it went away from. */
function heldValues(history: History, column: string): readonly unknown[] {
  const moves = tableRows(history.transitions(column), "");
  const now = tableRows(history.counts(column, [history.readAt]), "");
  const [from, to, held] = [moves.column("from"), moves.column("to"), now.column("value")];
  const values = new Set<unknown>();
  for (let row = 0; row < moves.count; row += 1) values.add(from(row)).add(to(row));
  for (let row = 0; row < now.count; row += 1) values.add(held(row));
  return [...values].filter((value) => value !== null && value !== undefined);
}
