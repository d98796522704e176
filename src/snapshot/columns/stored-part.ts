import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import type { SnapshotFile } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";
import { type ColumnHeader, MAGIC, PRELUDE_BYTES, RECORD_COLUMN } from "./column-layout.js";
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
   * @param path of the file below `root`
   * @throws SnapshotError if it is no column file
   */
  static open(root: string, path: string): StoredPart {
    const prelude = readAt(root, path, 0, PRELUDE_BYTES);
    if (!prelude.subarray(0, MAGIC.length).equals(MAGIC)) throw damage(join(root, path));
    const headerBytes = prelude.readUInt32LE(MAGIC.length);
    const start = PRELUDE_BYTES + headerBytes;
    const header = JSON.parse(readAt(root, path, PRELUDE_BYTES, headerBytes).toString()) as ColumnHeader;
    const read = (offset: number, bytes: number) => readAt(root, path, start + offset, bytes);
    return new StoredPart(
      header.rows,
      header.columns.map((entry) => new StoredColumn(entry, header.rows, read)),
    );
  }
}

/** Opens the column files of parts; undefined if one has none. */
export function openParts(root: string, files: readonly SnapshotFile[]): readonly StoredPart[] | undefined {
  const paths = files.flatMap(({ columns }) => columns?.path ?? []);
  return paths.length < files.length ? undefined : paths.map((path) => StoredPart.open(root, path));
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
      if (read === 0) throw damage(join(root, path));
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

function damage(path: string): SnapshotError {
  return new SnapshotError(`${path} was altered after it was written.`, {
    hint: "Restore the snapshot from a copy, or write it again.",
    facts: { path },
  });
}
