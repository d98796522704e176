import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { damagedFile } from "../format/damaged-file.js";
import type { SnapshotFile, StoredFile } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";
import { type ColumnEntry, type ColumnHeader, MAGIC, PRELUDE_BYTES, RECORD_COLUMN } from "./column-layout.js";
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
  static open(root: string, rows: number, file: StoredFile): StoredPart {
    const { path } = file;
    const damaged = (cause?: unknown) => damagedColumns(join(root, path), cause);
    const { columns, start } = readHeader(root, rows, file, damaged);
    const read = (offset: number, bytes: number) => readAt(root, path, start + offset, bytes);
    return new StoredPart(
      rows,
      columns.map((entry) => new StoredColumn(entry, rows, read, damaged)),
    );
  }
}

/** The columns of a file, and where their bytes begin. */
function readHeader(
  root: string,
  rows: number,
  { path, bytes }: StoredFile,
  damaged: (cause?: unknown) => SnapshotError,
): { readonly columns: readonly ColumnEntry[]; readonly start: number } {
  try {
    const prelude = readAt(root, path, 0, PRELUDE_BYTES);
    const headerBytes = prelude.readUInt32LE(MAGIC.length);
    const start = PRELUDE_BYTES + headerBytes;
    if (!prelude.subarray(0, MAGIC.length).equals(MAGIC) || start > bytes) throw damaged();
    const header = JSON.parse(readAt(root, path, PRELUDE_BYTES, headerBytes).toString()) as ColumnHeader;
    if (header.rows !== rows || !header.columns.every((entry) => isEntry(entry, bytes - start))) throw damaged();
    return { columns: header.columns, start };
  } catch (cause) {
    throw damaged(cause);
  }
}

/** Whether a column lies within the bytes that its file has for columns. */
function isEntry({ name, offset, bytes, presentOffset = 0, counts }: ColumnEntry, end: number): boolean {
  const isPlace = (place: number) => Number.isInteger(place) && place >= 0 && place <= end;
  return (
    typeof name === "string" && typeof counts === "object" && [offset, offset + bytes, presentOffset].every(isPlace)
  );
}

/** The error of a column file that could not be read. */
function damagedColumns(path: string, cause: unknown): SnapshotError {
  if (cause instanceof SnapshotError) return cause;
  const { syscall } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  if (syscall === undefined) return damagedFile(path, "was altered after it was written", cause);
  return damagedFile(path, `cannot be read: ${(cause as Error).message}`, cause);
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

/** Bytes of a file, in memory of their own. A pull may have moved the file aside, or back. */
function readAt(root: string, path: string, position: number, bytes: number): Buffer {
  const descriptor = openFirst([join(root, path), join(root, movedPath(path))]);
  try {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    for (let done = 0; done < bytes; ) {
      const read = readSync(descriptor, buffer, done, bytes - done, position + done);
      if (read === 0) throw damagedFile(join(root, path), "is shorter than it was written");
      done += read;
    }
    return buffer;
  } finally {
    closeSync(descriptor);
  }
}

function openFirst([path, other]: readonly [string, string]): number {
  try {
    return openSync(path, "r");
  } catch {
    try {
      return openSync(other, "r");
    } catch (cause) {
      throw new SnapshotError(`${path} is missing.`, {
        cause,
        hint: "A layer reads its columns when they are asked for: keep the snapshot's folder, and the state that you read.",
        facts: { path },
      });
    }
  }
}
