import { isTypedArray } from "node:util/types";
import type { MimeBundle } from "../bundle/mime-bundle.js";
import { inspectValue } from "../text/inspect-value.js";
import { renderTable } from "./render-table.js";
import type { TableView } from "./table-view.js";

/** Collections of up to so many entries read well as text. */
const maxText = 10;
/** Maps and sets of more entries are not copied to be looked at: their first ones are shown. */
const maxCopied = 100_000;
const maxRows = 50;

/**
 * A large map, set or typed array as a table; of numbers also their range. Undefined for anything else.
 *
 * @param asTable shows the table
 */
export function collectionBundle(value: unknown, asTable: (view: TableView) => MimeBundle): MimeBundle | undefined {
  const range = isTypedArray(value) && value.length > maxText ? rangeText(value) : "";
  const view = collectionView(value, range);
  if (!view || view.rowCount <= maxText) return undefined;
  const isLarge = view.rowCount > maxCopied && !isTypedArray(value);
  return {
    "text/plain": range === "" ? inspectValue(value) : `${inspectValue(value)}\n${range}`,
    "text/html": (isLarge ? renderTable(view, { maxRows }) : asTable(view))["text/html"],
  };
}

function collectionView(value: unknown, range: string): TableView | undefined {
  if (value instanceof Map) {
    const entries = firstOf<[unknown, unknown]>(value.entries(), value.size);
    const columns = [
      { name: "key", at: (row: number) => entries[row]?.[0] },
      { name: "value", at: (row: number) => entries[row]?.[1] },
    ];
    return { caption: "Map", rowCount: value.size, columns, owner: value };
  }
  if (value instanceof Set) {
    const values = firstOf(value.values(), value.size);
    return {
      caption: "Set",
      rowCount: value.size,
      columns: [{ name: "value", at: (row) => values[row] }],
      owner: value,
    };
  }
  if (!isTypedArray(value)) return undefined;
  const index = { name: "", type: "index", isIndex: true, at: (row: number) => row };
  const column = { name: "value", at: (row: number) => value[row] };
  return {
    caption: `${value.constructor.name}: ${range}`,
    rowCount: value.length,
    columns: [index, column],
    owner: value,
  };
}

function firstOf<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const most = count > maxCopied ? maxRows : count;
  const first: Item[] = [];
  for (const item of items) {
    if (first.length === most) break;
    first.push(item);
  }
  return first;
}

/** `10,000 values from -1 to 1, mean 0.002, 3 NaN`. */
function rangeText(values: NodeJS.TypedArray): string {
  let [least, most]: (number | bigint | undefined)[] = [undefined, undefined];
  let sum = 0;
  let missing = 0;
  for (const value of values) {
    if (Number.isNaN(value)) {
      missing += 1;
      continue;
    }
    sum += Number(value);
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  const count = values.length - missing;
  const mean = Number((sum / count).toPrecision(6));
  const range = count === 0 ? "" : ` from ${least} to ${most}, mean ${mean}`;
  return `${values.length.toLocaleString("en-US")} values${range}${missing > 0 ? `, ${missing.toLocaleString("en-US")} NaN` : ""}`;
}
