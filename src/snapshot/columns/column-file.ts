import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import type { InstantForm } from "../../tables/cells/instant-column.js";
import type { TypeCounts } from "../../tables/column/column.js";
import { damagedFile } from "../format/damaged-file.js";
import type { StoredFile } from "../format/manifest.js";
import { READ_FLAGS, refuseOutside } from "../format/own-paths.js";

/** A column file that was opened: its header was read, and nothing else. */
export class ColumnFile {
  /** What the header says; nobody has looked at it. */
  readonly header: unknown;
  /** Bytes behind the header. */
  readonly bytes: number;
  readonly #root: string;
  readonly #path: string;
  readonly #start: number;

  /**
   * @param root folder that the file's path is below
   * @throws SnapshotError if it is no column file
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
   * Bytes in memory of their own.
   *
   * @param offset counted from the end of the header
   */
  read(offset: number, bytes: number): Buffer {
    return this.#readAt(this.#start + offset, bytes);
  }

  /** The error of a file that is not what it should be, or that could not be read. */
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
      hint: "A layer reads its columns when they are asked for: keep the snapshot's folder, and the generation that you read.",
      facts: { path },
    });
  }
}

/**
 * How the values of a column lie in their bytes.
 *
 * - `number`: doubles, NaN for null.
 * - `instant`: microseconds since 1970 as doubles, NaN for null; `form` gives the texts back.
 * - `code8`, `code16`: distinct JSON values as the text of an array, `textBytes` long, padded to 8 bytes; then a code
 *   a row: the position in the array, from 1; 0 for null.
 * - `text`: `rows + 1` positions of 32 bits, then texts in UTF-8, each with one byte more behind it; null has none.
 * - `json`: the same with JSON texts as they came.
 */
type ColumnKind = "number" | "instant" | "code8" | "code16" | "text" | "json";

/** One column of a column file. */
export interface ColumnEntry {
  /** Member of the record, or of its `properties`. */
  readonly name: string;
  readonly isProperty: boolean;
  readonly kind: ColumnKind;
  /** Where the bytes begin, counted from the end of the header. */
  readonly offset: number;
  readonly bytes: number;
  readonly counts: TypeCounts;
  /** Where the bits of the rows that have the member begin, low bit first; absent if every row has it. */
  readonly presentOffset?: number;
  readonly form?: InstantForm;
  readonly textBytes?: number;
  /** For geometries: true if none of them has a fault. */
  readonly hasSoundGeometries?: true;
}

/** The header of a column file. */
export interface ColumnHeader {
  readonly rows: number;
  readonly columns: readonly ColumnEntry[];
}

/** A column file begins with this, the length of the header as 32 bits, and the header: JSON padded with spaces. */
export const MAGIC = Buffer.from("SFCOLS01");
export const PRELUDE_BYTES = 16;

/** The column of the records where they are kept whole. */
export const RECORD_COLUMN = "record";

/** Whole words: typed arrays begin at multiples of 8. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/**
 * What a column file of property changes holds, in the order of the rows of its Parquet file: by feature, so that the
 * changes of one feature are a run of rows.
 *
 * - `features`, `starts`: the feature of each run as a double; its first row as 32 bits, and behind the last the number
 *   of rows.
 * - `ids`: 16 bytes each, as four words of 32 bits.
 * - `times`: microseconds since 1970 as doubles; NaN where `created_at` is no instant.
 * - `flags`: a byte of `changeFlags`.
 * - `causes`: 16 bytes for each change that is flagged to have one.
 * - `keys`, `values`, `users`: codes in 1, 2 or 4 bytes; their `…List` is what they stand for, as the text of a JSON array.
 *   Keys are canonical. Values are as they came, so that one value may have several codes.
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

/** The columns whose values have codes. */
export type CodedSection = "keys" | "values" | "users";

/** Where the bytes of a section begin, counted from the end of the header, and how many there are. */
interface SectionPlace {
  readonly offset: number;
  readonly bytes: number;
}

/** The header of a column file of property changes. */
export interface ChangeHeader {
  readonly rows: number;
  /** How many times are no instant. */
  readonly undated: number;
  readonly sections: Readonly<Record<ChangeSection, SectionPlace>>;
}
