import type { ResolvedFilters } from "../api/params.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import { type ChangeColumns, changeColumnsOfRecords, sliceChanges } from "../columns/read/change-columns.js";
import { changeDecoder } from "../columns/read/change-decoder.js";
import { PassingChanges } from "../columns/read/passing-changes.js";

/** Property changes in columns, in any order: those that a reader has already, or new ones of its pages or records. */
export async function readChanges(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<ColumnsRead<readonly ChangeColumns[]>> {
  const stored = await reader.changes?.(filters, options);
  if (stored) return stored;
  if (!reader.gather) {
    const { rows, readAt, findings } = await reader.all("propertyChanges", filters, options);
    return { columns: [changeColumnsOfRecords(rows)], readAt, findings };
  }
  const { slices, readAt, findings } = await reader.gather("propertyChanges", filters, changeDecoder(), options);
  const columns = slices.map(({ content, start, end }) => new PassingChanges(sliceChanges(content, start, end)));
  return { columns, readAt, findings };
}
