import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { chooseColumn } from "../../../columns/choose-columns.js";
import type { StepOptions } from "../../../columns/step-order.js";
import type { ValuePlaces } from "../../../columns/value-places.js";
import { stepsTable } from "../../../tables/steps.js";
import { GrowingUuids, JsonValues, shownUser } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { stepRows, stepsTable as stepsStatement } from "../../sql/tables/steps.js";
import { askedOrder } from "../../value-kinds.js";

/** Changes of a feature in a column, about, with who made each. */
const CELLS = 6;

/** Each step from one value to another. */
export function steps(data: QuestionData, name: string, options: StepOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const order = (signal: AbortSignal | undefined) => askedOrder(data, column, options, signal);
  return {
    table: async (signal) => table(data, column, await order(signal), signal),
    statement: async (scope, kinds, signal) =>
      stepsStatement(scope, (await kinds([column]))[column], column, await order(signal)),
    cellsPerFeature: CELLS,
    namesPersons: true,
  };
}

async function table(
  data: QuestionData,
  column: number,
  places: ValuePlaces | undefined,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const said = new JsonValues();
  const [rows, from, to, system] = [ints(), ints(), ints(), ints()];
  const [held, timesUs] = [floats(), floats()];
  /** NaN for nobody. */
  const users = floats();
  const ids = new GrowingUuids();
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => stepRows(scope, column), signal)) {
    const [features, before, after, lengths, changeIds, times, people, automatic] = columns;
    ids.pushAll(changeIds ?? [], rowCount);
    for (let index = 0; index < rowCount; index += 1) {
      rows.push(data.rowOf.get(Number(features?.[index])) ?? 0);
      from.push(said.code(before?.[index]));
      to.push(said.code(after?.[index]));
      held.push(Number(lengths?.[index]));
      timesUs.push(Number(times?.[index]));
      const user = people?.[index] ?? null;
      users.push(user === null ? Number.NaN : Number(user));
      system.push(Number(automatic?.[index]));
    }
  }
  const { values } = said;
  const [rowOf, froms, tos, isSystem] = [rows.filled(), from.filled(), to.filled(), system.filled()];
  const [heldUs, madeUs, madeBy, changeIds] = [held.filled(), timesUs.filled(), users.filled(), ids.filled()];
  return stepsTable(
    data,
    {
      length: rowOf.length,
      row: (step) => rowOf[step] as number,
      from: (step) => values[froms[step] as number],
      to: (step) => values[tos[step] as number],
      heldUs: (step) => heldUs[step] as number,
      changeId: (step) => changeIds.at(step),
      us: (step) => madeUs[step] as number,
      user: (step) => shownUser(data, madeBy[step] ?? Number.NaN),
      isSystem: (step) => isSystem[step] === 1,
    },
    places,
  );
}

function ints(): GrowingArray<Int32Array> {
  return new GrowingArray(Int32Array);
}

function floats(): GrowingArray<Float64Array> {
  return new GrowingArray(Float64Array);
}
