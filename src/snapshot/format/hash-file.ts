import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const CHUNK_BYTES = 4 << 20;

/** The sha256 of a file's content, in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
  }
}
