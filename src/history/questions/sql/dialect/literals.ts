import type { Dialect } from "./dialect.js";

/** A column of a table of literals. */
export interface LiteralColumn {
  readonly name: string;
  readonly type: "bigint" | "text";
  valueAt(row: number): string | number | null;
}

/**
 * Statements for a known table, each with some of its rows. They are written on demand.
 *
 * @param mostCharacters approximate maximum length of a statement with several rows
 */
export function* literalTables(
  dialect: Dialect,
  columns: readonly LiteralColumn[],
  rowCount: number,
  mostCharacters = Number.POSITIVE_INFINITY,
): Generator<string, void, undefined> {
  const literal = (value: string | number | null) =>
    value === null ? "NULL" : typeof value === "number" ? String(value) : dialect.text(value);
  let rows: string[][] = [];
  let characters = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const cells = columns.map((column) => literal(column.valueAt(row)));
    const length = cells.reduce((sum, cell) => sum + cell.length + BETWEEN, BETWEEN);
    if (rows.length > 0 && characters + length > mostCharacters) {
      yield literalTable(dialect, columns, rows);
      [rows, characters] = [[], 0];
    }
    rows.push(cells);
    characters += length;
  }
  if (rows.length > 0 || rowCount === 0) yield literalTable(dialect, columns, rows);
}

/** Characters between cells and rows. */
const BETWEEN = 2;

function literalTable(
  dialect: Dialect,
  columns: readonly LiteralColumn[],
  rows: readonly (readonly string[])[],
): string {
  // A table of literals needs a row: for an empty table, it is filtered out again.
  const given = rows.length > 0 ? rows : [columns.map(() => "NULL")];
  const indexes = columns.map((_, index) => `c${index}`);
  const named = columns.map(
    ({ name, type }, index) => `${dialect.cast(`c${index}`, type)} AS ${dialect.identifier(name)}`,
  );
  return `WITH ${dialect.relation("literals", indexes, given)}
SELECT ${named.join(", ")} FROM literals${rows.length > 0 ? "" : " WHERE 1 = 0"}`;
}

/**
 * A table of literals that may be empty.
 *
 * @param columns the first one is a number
 * @param rows numbers, followed by strings
 */
export function tableCtes(
  dialect: Dialect,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length > 0) return [dialect.relation(name, columns, rows)];
  // Literals need a row: for an empty table, it is filtered out again. With rows, DuckDB fails on such a filter.
  const none = columns.map((_, index) => (index < columns.length - 1 ? "0" : dialect.text("")));
  return [dialect.relation(`no_${name}`, columns, [none]), `${name} AS (SELECT * FROM no_${name} WHERE 1 = 0)`];
}

/** Rows of expressions for `VALUES`. */
export function literalRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `(${row.join(", ")})`).join(", ");
}

/** A value that a statement receives when it runs: an expression in the engine's SQL. */
export interface SqlExpression {
  readonly sql: string;
}

/**
 * A time as a literal, in microseconds since 1970. Far times are inexact as numbers, so their digits would mean another
 * time. Expressions are unchanged.
 */
export function usLiteral(us: number | SqlExpression): string {
  return typeof us === "number" ? String(BigInt(us)) : us.sql;
}
