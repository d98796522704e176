import type { ColumnTable } from "arquero";
import { propertyRule } from "../../src/api/property-types.js";
import { canonicalJson } from "../../src/core/json.js";
import { declaredType } from "../../src/tables/types/declared-type.js";
import type { DuckDBRows } from "./duckdb-rows.js";
import type { QuestionCall } from "./question-calls.js";

type Row = readonly unknown[];

/**
 * The first difference between a table and its rows in SQL. There, all values except strings and instants are JSON.
 * Undefined if they are equal.
 */
export function rowsDifference(expected: ColumnTable, found: DuckDBRows, call: QuestionCall): string | undefined {
  const names = expected.columnNames();
  const [wantedNames, foundNames] = [names.map(plainName), found.names.map(plainName)];
  if (wantedNames.join("\n") !== foundNames.join("\n")) return `columns ${found.names} instead of ${names}`;
  const isSum = names.map((name) => name in call.tolerances);
  const lines = (rows: readonly Row[]) => toLines(rows, isSum, isUnordered(call));
  const [wanted, got] = [lines(tableRows(expected)), lines(found.rows)];
  if (wanted.length !== got.length) return `${got.length} rows instead of ${wanted.length}`;
  for (const [index, { text, sums }] of wanted.entries()) {
    const other = got[index];
    if (text !== other?.text) return `row ${index}: ${other?.text} instead of ${text}`;
    const tolerances = names.flatMap((name) => call.tolerances[name] ?? []);
    const far = sums.findIndex((sum, at) => !isNear(sum, other.sums[at], tolerances[at]));
    if (far >= 0) return `row ${index}: ${other.sums[far]} instead of ${sums[far]} in ${text}`;
  }
  return undefined;
}

/** Whether SQL returns the rows in another order than a history. */
function isUnordered({ name, given }: QuestionCall): boolean {
  if (name === "counts" || name === "transitions") return true;
  return name === "totals" && (given[2] as { readonly by?: string } | undefined)?.by !== undefined;
}

interface Line {
  /** All values except sums. */
  readonly text: string;
  readonly sums: Row;
}

function toLines(rows: readonly Row[], isSum: readonly boolean[], sort: boolean): readonly Line[] {
  const lines = rows.map((row) => ({
    text: row.map((value, column) => (isSum[column] ? "" : cellText(value))).join(" | "),
    sums: row.filter((_, column) => isSum[column]),
  }));
  // Different groups may look the same in SQL: then sort by sums.
  const bySums = (a: Line, b: Line) => Number(a.sums[0] ?? 0) - Number(b.sums[0] ?? 0);
  const order = (a: Line, b: Line) => (a.text === b.text ? bySums(a, b) : a.text < b.text ? -1 : 1);
  return sort ? lines.sort(order) : lines;
}

function isNear(wanted: unknown, found: unknown, tolerance = 0): boolean {
  if (wanted === null || wanted === undefined) return found === null;
  return Math.abs(Number(wanted) - Number(found)) <= tolerance;
}

/** SQL uses other names for columns that differ only in case. */
function plainName(name: string): string {
  return name.replace(/^(kind) \((eeeeeeee|ffffffff)\)$/i, "$1").replace(/^id \(field\)$/, "id");
}

function tableRows(table: ColumnTable): readonly Row[] {
  const columns = table.columnNames().map((name) => storedValues(table, name));
  return Array.from({ length: table.numRows() }, (_, row) => columns.map((column): unknown => column[row]));
}

/** Values of a column in SQL: null if a value does not have the type of the definition. Strings and lists stay as they are. */
function storedValues(table: ColumnTable, name: string): readonly unknown[] {
  const declared = declaredType(table.column(name) ?? []);
  const rule = declared?.of === "property" ? propertyRule(declared.type) : undefined;
  const values = Array.from(table.array(name) as Iterable<unknown>);
  if (!rule || rule.listKind || rule.kind === "text") return values;
  return values.map((value) => (rule.accepts(value) ? value : null));
}

const LAST_OF_9999 = Date.parse("9999-12-31T23:59:59.999Z");

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  // Tables of features hold this instant exactly; the doubles of a history round it up.
  if (value instanceof Date && value.getTime() >= LAST_OF_9999) return "the end of 9999";
  // The number of microseconds rounds to the next day.
  if (value === "9999-12-31" || value === "10000-01-01") return "the end of 9999";
  if (value instanceof Date) return value.toISOString();
  // A history holds microseconds as doubles, which are not exact near the year 10000.
  if (typeof value === "bigint") return String(Number.isSafeInteger(Number(value)) ? value : Number(value));
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "string") return canonicalJson(value);
  // Geometries are stored in their original notation.
  return value.startsWith("{") ? canonicalJson(JSON.parse(value)) : value;
}
