import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { damagedFile } from "../format/damaged-file.js";
import type { StoredFile } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";
import { READ_FLAGS, refuseOutside } from "../format/own-paths.js";
import { MAGIC, PRELUDE_BYTES } from "./column-layout.js";

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
    refuseOutside(root, movedPath(path));
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

  /** A pull may have moved the file aside, or back. */
  #readAt(position: number, bytes: number): Buffer {
    const path = join(this.#root, this.#path);
    const descriptor = openFirst([path, join(this.#root, movedPath(this.#path))]);
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

function openFirst([path, other]: readonly [string, string]): number {
  try {
    return openSync(path, READ_FLAGS);
  } catch {
    try {
      return openSync(other, READ_FLAGS);
    } catch (cause) {
      throw new SnapshotError(`${path} is missing.`, {
        cause,
        hint: "A layer reads its columns when they are asked for: keep the snapshot's folder, and the state that you read.",
        facts: { path },
      });
    }
  }
}
