import type { ColumnTable } from "arquero";
import { canonicalJson } from "../../src/core/json.js";

/** Maximum differences of numbers by column. Default: 0. */
export type Tolerances = Readonly<Record<string, number>>;

/**
 * Describes the first difference of two tables in columns, rows, order, values or types. Returns undefined if they are
 * equal.
 */
export function tableDifference(
  expected: ColumnTable,
  found: ColumnTable,
  tolerances: Tolerances = {},
): string | undefined {
  const [names, foundNames] = [expected.columnNames(), found.columnNames()];
  if (names.join("\n") !== foundNames.join("\n")) return `columns ${foundNames.join()} instead of ${names.join()}`;
  if (expected.numRows() !== found.numRows()) {
    return `${found.numRows()} rows instead of ${expected.numRows()}; ${firstOdd(expected, found)}`;
  }
  for (const name of names) {
    const [wanted, got] = [expected.array(name), found.array(name)];
    for (let row = 0; row < wanted.length; row += 1) {
      if (isSame(wanted[row], got[row], tolerances[name] ?? 0)) continue;
      return `row ${row}, ${name}: ${shown(got[row])} instead of ${shown(wanted[row])} in ${rowText(expected, row)}`;
    }
  }
  return undefined;
}

function firstOdd(expected: ColumnTable, found: ColumnTable): string {
  const length = Math.max(expected.numRows(), found.numRows());
  for (let row = 0; row < length; row += 1) {
    const [wanted, got] = [rowText(expected, row), rowText(found, row)];
    if (wanted !== got) return `row ${row} is ${got} instead of ${wanted}`;
  }
  return "their rows are the same";
}

function rowText(table: ColumnTable, row: number): string {
  if (row >= table.numRows()) return "nothing";
  return table
    .columnNames()
    .map((name) => `${name} ${shown(table.get(name, row))}`)
    .join(", ");
}

function isSame(wanted: unknown, got: unknown, tolerance: number): boolean {
  if (typeof wanted === "number" && typeof got === "number" && Math.abs(wanted - got) <= tolerance) return true;
  return shown(wanted) === shown(got);
}

function shown(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value instanceof Date) return `Date ${value.getTime()}`;
  return canonicalJson(value);
}
