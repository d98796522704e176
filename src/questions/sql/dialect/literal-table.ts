import type { Dialect } from "./dialect.js";

/** A column of a table of literals. */
export interface LiteralColumn {
  readonly name: string;
  readonly type: "integer" | "text";
  valueAt(row: number): string | number | null;
}

/** Rows of a table. */
export interface RowRange {
  readonly start: number;
  /** The row behind the last. */
  readonly end: number;
}

/** Some rows of a table that is known already, as a statement. */
export function literalTable(dialect: Dialect, columns: readonly LiteralColumn[], { start, end }: RowRange): string {
  const literal = (value: string | number | null) =>
    value === null ? "NULL" : typeof value === "number" ? String(value) : dialect.text(value);
  const rows = Array.from({ length: end - start }, (_, row) =>
    columns.map((column) => literal(column.valueAt(start + row))),
  );
  // A table of literals has a row: that of an empty one is left out again.
  const given = rows.length > 0 ? rows : [columns.map(() => "NULL")];
  const places = columns.map((_, place) => `c${place}`);
  const named = columns.map(
    ({ name, type }, place) =>
      `CAST(c${place} AS ${type === "text" ? dialect.textType : "BIGINT"}) AS ${dialect.identifier(name)}`,
  );
  return `WITH ${dialect.relation("literals", places, given)}
SELECT ${named.join(", ")} FROM literals${rows.length > 0 ? "" : " WHERE 1 = 0"}`;
}
