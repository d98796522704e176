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
    for (const chunk of [...begin(header), ...chunks]) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  }
  await rename(`${place}.unfinished`, place);
  return { path, bytes, sha256: hash.digest("hex") };
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
