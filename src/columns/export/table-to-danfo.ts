import type { ColumnTable } from "arquero";
import type { DanfoFrame } from "./danfo-frame.js";
import type { ColumnKind, ExportTable } from "./export-table.js";
import { frameToDanfo } from "./frame-to-danfo.js";
import { loadDanfo } from "./load-danfo.js";

/**
 * Any Arquero table as a Danfo frame, by the optional package `danfojs-node` or `danfojs`: rows as the table shows
 * them, after its filter and in its order. Values become what they become in `layer.toDanfo()`.
 *
 * @param table any Arquero table
 * @throws ArgumentError if neither package is installed
 */
export async function tableToDanfo(table: ColumnTable): Promise<DanfoFrame> {
  return frameToDanfo(tableFrame(table), await loadDanfo());
}

function tableFrame(table: ColumnTable): ExportTable {
  const columns = table.columnNames().map((name) => {
    const values: unknown[] = Array.from(table.array(name));
    return { name, kind: kindOf(values), values };
  });
  return { rowCount: table.numRows(), columns };
}

/** What the values of a column have in common. */
function kindOf(values: readonly unknown[]): ColumnKind {
  const kinds = new Set<ColumnKind>();
  for (const value of values) if (value !== null && value !== undefined) kinds.add(kindOfValue(value));
  if (kinds.size === 2 && kinds.has("integer") && kinds.has("number")) return "number";
  const [only = "text"] = kinds;
  return kinds.size > 1 ? "json" : only;
}

function kindOfValue(value: unknown): ColumnKind {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "string":
      return "text";
    default:
      return value instanceof Date ? "instant" : "json";
  }
}
