import { type BaseField, isBaseField } from "../../tables/read/feature-columns.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { ValueDictionary } from "../log/value-dictionary.js";
import { cellCoding } from "./cell-coding.js";
import { constantTimelines, type Timelines, timelines } from "./timelines.js";

/** Which group each feature is in, from which date on. */
export interface Groups extends Timelines {
  /** The value that makes each group, by code. */
  readonly values: readonly unknown[];
}

/**
 * Groups by a base field, by a property as of each date, or one group of all.
 *
 * @param datesUs ascending
 * @throws ArgumentError for a `by` that is neither
 */
export function groupCodes(data: HistoryData, by: string | undefined, datesUs: Float64Array): Groups {
  const dateCount = datesUs.length;
  if (by === undefined) {
    return { ...constantTimelines(new Int32Array(data.features.count), 1, dateCount), values: [null] };
  }
  return isBaseField(by)
    ? groupsOfField(data, by, dateCount)
    : groupsOfProperty(data, chooseColumn(data.names, by), datesUs);
}

function groupsOfField({ features }: HistoryData, field: BaseField, dateCount: number): Groups {
  const dictionary = new ValueDictionary();
  const before = Int32Array.from(features.base(field), (value) => dictionary.code(value));
  return { ...constantTimelines(before, dictionary.values.length, dateCount), values: dictionary.values };
}

/** A group is a value, in whatever state. */
function groupsOfProperty(data: HistoryData, column: number, datesUs: Float64Array): Groups {
  const { entries, ofValue, before } = cellCoding(data, column);
  const dictionary = new ValueDictionary();
  const groupOf = Int32Array.from(entries, ({ value }) => dictionary.code(value));
  const group = (outcome: number) => groupOf[outcome] as number;
  const coding = { ofValue: ofValue.map(group), before: before.map(group), count: dictionary.values.length };
  return { ...timelines(data, column, datesUs, coding), values: dictionary.values };
}
