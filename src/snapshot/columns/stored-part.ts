import type { SnapshotFile, StoredFile } from "../format/manifest.js";
import { ColumnFile } from "./column-file.js";
import { type ColumnEntry, type ColumnHeader, RECORD_COLUMN } from "./column-layout.js";
import { StoredColumn } from "./stored-column.js";

/** The columns of one part of a table. Nothing but the header is read before a value is. */
export class StoredPart {
  readonly rows: number;
  readonly fields: ReadonlyMap<string, StoredColumn>;
  /** Columns of the members of `properties`, in order of first appearance. */
  readonly properties: ReadonlyMap<string, StoredColumn>;

  private constructor(rows: number, columns: readonly StoredColumn[]) {
    const named = (isProperty: boolean) =>
      new Map(
        columns.flatMap((column) => (column.entry.isProperty === isProperty ? [[column.entry.name, column]] : [])),
      );
    this.rows = rows;
    this.fields = named(false);
    this.properties = named(true);
  }

  /**
   * Opens a column file.
   *
   * @param rows of the part, and its column file below `root`, as the manifest has them
   * @throws SnapshotError if it is no column file of that many rows
   */
  static open(root: string, rows: number, stored: StoredFile): StoredPart {
    const file = new ColumnFile(root, stored);
    const read = (offset: number, bytes: number) => file.read(offset, bytes);
    const damaged = (cause: unknown) => file.damaged(cause);
    return new StoredPart(
      rows,
      columnsOf(file, rows).map((entry) => new StoredColumn(entry, rows, read, damaged)),
    );
  }
}

function columnsOf(file: ColumnFile, rows: number): readonly ColumnEntry[] {
  try {
    const header = file.header as ColumnHeader;
    if (header.rows !== rows || !header.columns.every((entry) => isEntry(entry, file.bytes))) throw file.damaged();
    return header.columns;
  } catch (cause) {
    throw file.damaged(cause);
  }
}

/** Whether a column lies within the bytes that its file has for columns. */
function isEntry({ name, offset, bytes, presentOffset = 0, counts }: ColumnEntry, end: number): boolean {
  const isPlace = (place: number) => Number.isInteger(place) && place >= 0 && place <= end;
  return (
    typeof name === "string" && typeof counts === "object" && [offset, offset + bytes, presentOffset].every(isPlace)
  );
}

/** Opens the column files of parts; undefined if one has none. */
export function openParts(root: string, files: readonly SnapshotFile[]): readonly StoredPart[] | undefined {
  const parts: StoredPart[] = [];
  for (const { rows, columns } of files) {
    if (!columns) return undefined;
    parts.push(StoredPart.open(root, rows, columns));
  }
  return parts;
}

/** The records of a part that keeps them whole. */
export function storedRecords({ rows, fields }: StoredPart): readonly Record<string, unknown>[] {
  const column = fields.get(RECORD_COLUMN);
  return Array.from({ length: rows }, (_, row) => column?.at(row) as Record<string, unknown>);
}
