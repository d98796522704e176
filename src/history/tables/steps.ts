import type { ColumnTable } from "arquero";
import { dateOf, US_PER_DAY } from "../../core/instant.js";
import { checkOptions } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Spans, spansOf } from "../cell/spans.js";
import { computedColumn } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { type StepOptions, stepOrder, stepRules } from "../columns/step-order.js";
import type { ValuePlaces } from "../columns/value-places.js";

/** One row a step from one value to another, feature by feature, in order of time. */
export function steps(data: HistoryData, name: string, options: StepOptions = {}): ColumnTable {
  checkOptions("steps()", options, stepRules);
  const column = chooseColumn(data.names, name);
  const places = orderOf(data, column, options);
  const spans = spansOf(data, column);
  const starts = stepStarts(spans);
  const { index, log } = data;
  const spanOf = (step: number) => starts[step] ?? 1;
  const value = (span: number) => log.values[index.valueCodes[spans.decisions[span] as number] as number];
  const changeOf = (step: number) => index.order[spans.decisions[spanOf(step)] as number] as number;
  const fromUs = (span: number) => spans.fromUs[span] as number;
  return stepsTable(
    data,
    {
      length: starts.length,
      row: (step) => spans.rows[spanOf(step)] as number,
      from: (step) => value(spanOf(step) - 1),
      to: (step) => value(spanOf(step)),
      heldUs: (step) => fromUs(spanOf(step)) - fromUs(spanOf(step) - 1),
      changeId: (step) => log.ids.at(changeOf(step)),
      us: (step) => fromUs(spanOf(step)),
      user: (step) => log.users[log.userCodes[changeOf(step)] as number] ?? null,
      isSystem: (step) => log.system[changeOf(step)] === 1,
    },
    places,
  );
}

/** The places of a column's values in the order that is asked for; undefined where none is. */
export function orderOf(data: HistoryData, column: number, { order }: StepOptions): ValuePlaces | undefined {
  const own = data.columns[column];
  if (order === undefined || !own) return undefined;
  return stepOrder(
    own,
    order,
    data.everLogged(column).map((code) => data.log.values[code]),
  );
}

/** The spans that a step leads to: those before which a change had set another value. */
export function stepStarts({ length, rows, decisions }: Spans): Int32Array {
  const starts = new Int32Array(length);
  let count = 0;
  for (let span = 1; span < length; span += 1) {
    if ((decisions[span - 1] as number) < 0 || rows[span - 1] !== rows[span]) continue;
    starts[count] = span;
    count += 1;
  }
  return starts.subarray(0, count);
}

/** Steps from value to value, by number. */
export interface ListedSteps {
  readonly length: number;
  row(step: number): number;
  from(step: number): unknown;
  to(step: number): unknown;
  /** How long the first value had held. */
  heldUs(step: number): number;
  changeId(step: number): string;
  us(step: number): number;
  user(step: number): number | null;
  isSystem(step: number): boolean;
}

/** A row for each step, with `backward` if an order is known. */
export function stepsTable(
  { features }: Pick<HistoryData, "features">,
  listed: ListedSteps,
  places: ValuePlaces | undefined,
): ColumnTable {
  const each = <T>(get: (step: number) => T) => computedColumn(listed.length, get);
  const ofFeature = (field: BaseField) => each((step) => features.base(field).at(listed.row(step)));
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    ["from", each((step) => listed.from(step))],
    ["to", each((step) => listed.to(step))],
    ["days", each((step) => listed.heldUs(step) / US_PER_DAY)],
    ["change_id", each((step) => listed.changeId(step))],
    ["changed_at", each((step) => dateOf(listed.us(step)))],
    ["changed_at_us", each((step) => listed.us(step))],
    ["user_id", each((step) => listed.user(step))],
    ["system", each((step) => listed.isSystem(step))],
    ...(places ? [["backward", each((step) => places.isBackward(listed.from(step), listed.to(step)))] as const] : []),
  ]);
}
