import type { ColumnKind } from "../types/column-kind.js";
import type { Danfo } from "./danfo-frame.js";
import type { ExportColumn, ExportTable } from "./export-table.js";
import { jsonText } from "./json-text.js";
import { plainValues } from "./plain-value.js";

/**
 * A frame as a Danfo frame.
 *
 * Rows are given as arrays with names and types beside them: Danfo infers types from the first rows only, mixes up
 * records whose keys are in another order, and takes no frame without rows in any other way. A missing number is NaN,
 * since `describe()` fails on null. Instants are ISO 8601 texts, which Danfo's `dt` reads; its own text of a `Date` is
 * in the machine's time zone. Arrays and objects are JSON texts. A column called like a member of Danfo's frames gets
 * an underscore: it would replace the member.
 */
export function frameToDanfo<Frame extends object>(frame: ExportTable, danfo: Danfo<Frame>): Frame {
  const columns = frame.columns.map((column) => ({ dtype: dtypeOf(column), at: danfoValues(column) }));
  const rows = Array.from({ length: frame.rowCount }, (_, row) => columns.map(({ at }) => at(row)));
  const names = frame.columns.map(({ name }) => name);
  return new danfo.DataFrame(rows, {
    columns: freeNames(names, new danfo.DataFrame([], { columns: [], dtypes: [] })),
    dtypes: columns.map(({ dtype }) => dtype),
  });
}

const nested: ReadonlySet<ColumnKind> = new Set(["json", "geometry", "integers", "texts"]);

function danfoValues(column: ExportColumn): (row: number) => unknown {
  const at = plainValues(column);
  if (column.kind === "integer" || column.kind === "number") return (row) => Number(at(row) ?? Number.NaN);
  if (!nested.has(column.kind)) return at;
  return (row) => {
    const value = at(row);
    return value === null ? null : jsonText(value);
  };
}

/**
 * int32 would wrap around, and `describe()` fails on booleans with nulls unless it takes them for texts; the values
 * stay as they are under every type.
 */
function dtypeOf({ kind, values }: ExportColumn): string {
  const all = (test: (value: unknown) => boolean) => {
    for (const value of values) if (!test(value)) return false;
    return true;
  };
  if (kind === "boolean") return all((value) => typeof value === "boolean") ? "boolean" : "string";
  if (kind !== "integer" && kind !== "number") return "string";
  const isInt32 = kind === "integer" && all((value) => typeof value === "number" && (value | 0) === value);
  return isInt32 ? "int32" : "float32";
}

function freeNames(names: readonly string[], members: object): string[] {
  const used = new Set(names);
  return names.map((name) => {
    let free = name;
    while (free in members || (free !== name && used.has(free))) free = `${free}_`;
    used.add(free);
    return free;
  });
}
