import type { PlotOptions, ScaleOptions } from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { provenanceOf } from "../../core/provenance.js";
import { byImportance } from "../../tables/order/process-words.js";
import { valueColours } from "../values/palette.js";
import { columnOrder } from "../values/value-order.js";

/** What says by itself which colours there are. */
const chosen = ["type", "domain", "range", "scheme", "interpolate", "transform"] as const;

/** A mark as Plot keeps it: a channel's value is a column's name, or was made of the column that its label names. */
interface ColouredMark {
  readonly data?: unknown;
  readonly channels?: Readonly<Record<string, { readonly value?: unknown } | undefined>>;
}

/**
 * The colours of marks that a user has made by a column of a table of ours, as other figures have them: where its values are
 * the steps of a process, or say how important something is. Undefined for other values, of several columns, and where the
 * user says how colours are.
 */
export function propertyColours({ marks = [], color = {} }: PlotOptions): ScaleOptions | undefined {
  if (chosen.some((name) => name in color)) return undefined;
  const all = (marks as unknown[]).flat(Number.POSITIVE_INFINITY);
  const found = all.flatMap((mark) => colouredBy((mark ?? {}) as ColouredMark));
  const [first] = found;
  if (!first || found.some(({ column }) => column !== first.column)) return undefined;
  const values = new Set(found.flatMap(({ table, column }) => [...table.array(column)]));
  for (const none of [null, undefined]) values.delete(none);
  const labels = [...values].filter((value) => typeof value === "string");
  if (labels.length < values.size || labels.length === 0) return undefined;
  const { values: known, places, isProcess, isListed } = columnOrder(first.table, first.column)(new Set(labels));
  if (!isProcess && !isListed && !byImportance(labels)) return undefined;
  const domain = [...new Set([...known.filter((label) => values.has(label)), ...labels])];
  const { legend: _, ...colours } = valueColours(domain, { places: places.length > 0 ? places : domain, isProcess });
  return colours;
}

/** The columns that colour a mark of a table of ours. */
function colouredBy({ data, channels = {} }: ColouredMark): readonly { table: ColumnTable; column: string }[] {
  const table = provenanceOf(data) && (data as Partial<ColumnTable>).columnNames ? (data as ColumnTable) : undefined;
  if (!table) return [];
  return ["fill", "stroke"].flatMap((name) => {
    const value = channels[name]?.value;
    const column: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "label") : value;
    return typeof column === "string" && table.columnNames().includes(column) ? [{ table, column }] : [];
  });
}
