import { type StepOptions, stepOrder } from "../../../columns/step-order.js";
import type { ValuePlaces } from "../../../columns/value-places.js";
import { loggedValues } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/**
 * The places of a column's values in the order that is asked for; undefined where none is.
 *
 * @throws ArgumentError as a history does
 */
export async function askedOrder(
  data: QuestionData,
  column: number,
  { order }: StepOptions,
  signal: AbortSignal | undefined,
): Promise<ValuePlaces | undefined> {
  const own = data.columns[column];
  if (order === undefined || !own) return undefined;
  const logged: unknown[] = [];
  if (order !== "options") {
    for await (const { columns } of askAll(data, (scope) => loggedValues(scope, column), signal)) {
      for (const text of Array.from(columns[0] ?? [])) logged.push(JSON.parse(String(text)));
    }
  }
  return stepOrder(own, order, logged);
}
