import type { ColumnTable } from "arquero";
import { chooseColumn } from "../../../columns/choose-columns.js";
import type { StepOptions } from "../../../columns/step-order.js";
import { type Transition, transitionsTable } from "../../../tables/transitions.js";
import { askAll, type Question, type QuestionData } from "../../ask.js";
import { transitionRows, transitionsTable as transitionsStatement } from "../../sql/tables/transitions.js";
import { askedOrder } from "../../value-kinds.js";

/** How often one value followed another. */
export function transitions(data: QuestionData, name: string, options: StepOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const order = (signal: AbortSignal | undefined) => askedOrder(data, column, options, signal);
  return {
    table: async (signal) => {
      const places = await order(signal);
      const found: Transition[] = [];
      for await (const { rowCount, columns } of askAll(data, (scope) => transitionRows(scope, column), signal)) {
        const [from, to, count, medianUs] = columns;
        for (let index = 0; index < rowCount; index += 1) {
          found.push({
            from: JSON.parse(String(from?.[index])),
            to: JSON.parse(String(to?.[index])),
            count: Number(count?.[index]),
            medianUs: Number(medianUs?.[index]),
          });
        }
      }
      return transitionsTable(found, places);
    },
    statement: async (scope, kinds, signal) =>
      transitionsStatement(scope, (await kinds([column]))[column], column, await order(signal)),
  };
}
