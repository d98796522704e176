import type { ResolvedFilters } from "../api/params.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import type { Slice } from "../client/sweep/slice.js";
import { type ChangeColumns, changeColumnsOfRecords, sliceChanges } from "../tables/read/change-columns.js";
import { changeDecoder } from "../tables/read/change-decoder.js";
import { KeptChanges } from "../tables/read/kept-changes.js";

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
  const kept = new KeptChanges();
  const keep = ({ content, start, end }: Slice<ChangeColumns>) => kept.add(sliceChanges(content, start, end));
  const { readAt, findings } = await reader.gather("propertyChanges", filters, changeDecoder(), keep, options);
  return { columns: kept.parts(), readAt, findings };
}
