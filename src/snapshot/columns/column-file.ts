import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import type { InstantForm } from "../../tables/cells/instant-column.js";
import type { TypeCounts } from "../../tables/column/column.js";
import { damagedFile } from "../folder/verify-files.js";
import type { StoredFile } from "../format/manifest.js";
import { READ_FLAGS, refuseOutside } from "../format/snapshot-paths.js";

/** An open column file; only its header was read. */
export class ColumnFile {
  /** The header, unchecked. */
  readonly header: unknown;
  /** Bytes after the header. */
  readonly bytes: number;
  readonly #root: string;
  readonly #path: string;
  readonly #start: number;

  /**
   * @param root folder that the file's path is below
   * @throws SnapshotError if it is not a column file
   */
  constructor(root: string, { path, bytes }: StoredFile) {
    this.#root = root;
    this.#path = path;
    refuseOutside(root, path);
    try {
      const prelude = this.#readAt(0, PRELUDE_BYTES);
      const headerBytes = prelude.readUInt32LE(MAGIC.length);
      this.#start = PRELUDE_BYTES + headerBytes;
      this.bytes = bytes - this.#start;
      if (!prelude.subarray(0, MAGIC.length).equals(MAGIC) || this.bytes < 0) throw this.damaged();
      this.header = JSON.parse(this.#readAt(PRELUDE_BYTES, headerBytes).toString());
    } catch (cause) {
      throw this.damaged(cause);
    }
  }

  /**
   * Returns bytes in their own memory.
   *
   * @param offset from the end of the header
   */
  read(offset: number, bytes: number): Buffer {
    return this.#readAt(this.#start + offset, bytes);
  }

  /** The error for a damaged or unreadable file. */
  damaged(cause?: unknown): SnapshotError {
    if (cause instanceof SnapshotError) return cause;
    const path = join(this.#root, this.#path);
    const { syscall } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
    if (syscall === undefined) return damagedFile(path, "was altered after it was written", cause);
    return damagedFile(path, `cannot be read: ${(cause as Error).message}`, cause);
  }

  #readAt(position: number, bytes: number): Buffer {
    const path = join(this.#root, this.#path);
    const descriptor = openColumns(path);
    try {
      const buffer = Buffer.allocUnsafeSlow(bytes);
      for (let done = 0; done < bytes; ) {
        const read = readSync(descriptor, buffer, done, bytes - done, position + done);
        if (read === 0) throw damagedFile(path, "is shorter than it was written");
        done += read;
      }
      return buffer;
    } finally {
      closeSync(descriptor);
    }
  }
}

function openColumns(path: string): number {
  try {
    return openSync(path, READ_FLAGS);
  } catch (cause) {
    throw new SnapshotError(`${path} is missing.`, {
      cause,
      hint: "Keep the snapshot folder and the generation while you use its layers, which read columns on demand.",
      facts: { path },
    });
  }
}

/**
 * Encoding of a column's values.
 *
 * - `number`: doubles, NaN for null.
 * - `instant`: microseconds since 1970 as doubles, NaN for null; `form` restores the strings.
 * - `code8`, `code16`: distinct JSON values as the text of an array, `textBytes` long, padded to 8 bytes; then one code
 * per row: the index in the array, from 1; 0 for null.
 * - `text`: `rows + 1` positions of 32 bits, then strings in UTF-8, each followed by one more byte; null has none.
 * - `json`: the same with the original JSON texts.
 */
type ColumnKind = "number" | "instant" | "code8" | "code16" | "text" | "json";

/** A column of a column file. */
export interface ColumnEntry {
  /** Name of the member in the record, or in its `properties`. */
  readonly name: string;
  readonly isProperty: boolean;
  readonly kind: ColumnKind;
  /** Start of the bytes, from the end of the header. */
  readonly offset: number;
  readonly bytes: number;
  readonly counts: TypeCounts;
  /** Start of the bits that mark rows with the member, low bit first; absent if every row has it. */
  readonly presentOffset?: number;
  readonly form?: InstantForm;
  readonly textBytes?: number;
  /** For geometries: true if all are valid. */
  readonly hasSoundGeometries?: true;
}

/** The header of a column file. */
export interface ColumnHeader {
  readonly rows: number;
  readonly columns: readonly ColumnEntry[];
}

/** Start of a column file, followed by the length of the header as 32 bits, and the header: JSON padded with spaces. */
export const MAGIC = Buffer.from("SFCOLS01");
export const PRELUDE_BYTES = 16;

/** The column of whole records. */
export const RECORD_COLUMN = "record";

/** Length rounded up to whole words: typed arrays begin at multiples of 8. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/**
 * Sections of a column file of property changes, in the order of the rows of its Parquet file: by feature, so that the
 * changes of a feature are consecutive rows.
 *
 * - `features`, `starts`: the feature of each run as a double; its first row as 32 bits, followed by the row count.
 * - `ids`: 16 bytes each, as four words of 32 bits.
 * - `times`: microseconds since 1970 as doubles; NaN if `created_at` is not an instant.
 * - `flags`: a byte of `changeFlags`.
 * - `causes`: 16 bytes for each change whose flag marks a cause.
 * - `keys`, `values`, `users`: codes of 1, 2 or 4 bytes; their `…List` has the coded values as the text of a JSON
 * array.
 * Keys are canonical. Values are the original texts, so one value can have several codes.
 */
export const changeSections = [
  "features",
  "starts",
  "ids",
  "times",
  "flags",
  "causes",
  "keys",
  "keysList",
  "values",
  "valuesList",
  "users",
  "usersList",
] as const;

export type ChangeSection = (typeof changeSections)[number];

/** The columns with coded values. */
export type CodedSection = "keys" | "values" | "users";

/** Start of a section, from the end of the header, and its length in bytes. */
interface SectionPlace {
  readonly offset: number;
  readonly bytes: number;
}

/** The header of a column file of property changes. */
export interface ChangeHeader {
  readonly rows: number;
  /** Count of times that are not instants. */
  readonly undated: number;
  readonly sections: Readonly<Record<ChangeSection, SectionPlace>>;
}
