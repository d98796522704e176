import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredFile } from "../format/manifest.js";
import { MAGIC, PRELUDE_BYTES, padded } from "./column-layout.js";

/** The content of a column file. */
export interface LaidOutColumns {
  readonly header: object;
  readonly chunks: readonly Uint8Array[];
}

/** A file has a hundred chunks of a few bytes, and to write one takes longer than to copy it. */
const WRITE_BYTES = 2 ** 20;

/**
 * Writes a column file, which is on the disk when this returns.
 *
 * @param path of the file below `root`
 */
export async function writeColumnFile(
  root: string,
  path: string,
  { header, chunks }: LaidOutColumns,
): Promise<StoredFile> {
  const place = join(root, path);
  await mkdir(dirname(place), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  {
    await using file = await open(`${place}.unfinished`, "w");
    for (const chunk of gathered([...begin(header), ...chunks])) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  }
  await rename(`${place}.unfinished`, place);
  return { path, bytes, sha256: hash.digest("hex") };
}

/** The same bytes, small chunks of them put together. */
function* gathered(chunks: readonly Uint8Array[]): Generator<Uint8Array, void> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (bytes > 0 && bytes + chunk.length > WRITE_BYTES) {
      yield joined(small);
      small = [];
      bytes = 0;
    }
    small.push(chunk);
    bytes += chunk.length;
  }
  yield joined(small);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function begin(header: object): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header));
  const filled = Buffer.alloc(padded(text.length), " ");
  text.copy(filled);
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(filled.length, MAGIC.length);
  return [prelude, filled];
}
