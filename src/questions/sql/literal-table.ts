import type { Dialect } from "./dialect.js";

/** A column of a table of literals. */
export interface LiteralColumn {
  readonly name: string;
  readonly type: "integer" | "text";
  readonly values: readonly (string | number | null)[];
}

/** A table that is known already, as a statement. */
export function literalTable(dialect: Dialect, columns: readonly LiteralColumn[], rowCount: number): string {
  const literal = (value: string | number | null, type: LiteralColumn["type"]) => {
    const written = value === null ? "NULL" : typeof value === "number" ? String(value) : dialect.text(value);
    return `CAST(${written} AS ${type === "text" ? dialect.textType : "BIGINT"})`;
  };
  const rows = Array.from({ length: rowCount }, (_, row) =>
    columns.map(({ type, values }) => literal(values[row] ?? null, type)),
  );
  // A table of literals has a row: that of an empty one is left out again.
  const given = rows.length > 0 ? rows : [columns.map(({ type }) => literal(null, type))];
  const places = columns.map((_, place) => `c${place}`);
  const named = columns.map(({ name }, place) => `c${place} AS ${dialect.identifier(name)}`);
  return `WITH ${dialect.relation("literals", places, given)}
SELECT ${named.join(", ")} FROM literals${rows.length > 0 ? "" : " WHERE 1 = 0"}`;
}
