import type { DuckDBDataChunk, DuckDBUUIDVector } from "@duckdb/node-api";
import { UUID_WORDS } from "../../core/uuid-words.js";

const UUID_BYTES = 16;
/** DuckDB keeps a UUID as a number with a sign, and turns its first bit over, so that their orders are one. */
const SIGN = 0x8000_0000;

/** The values of a column of a result: as DuckDB gives them, but UUIDs as the words that they are made of. */
export function chunkValues(chunk: DuckDBDataChunk, column: number): ArrayLike<unknown> {
  const vector = chunk.getColumnVector(column);
  return isUuids(vector) ? uuidWords(vector) : chunk.getColumnValues(column);
}

function isUuids(vector: { readonly type: unknown }): vector is DuckDBUUIDVector {
  return String(vector.type) === "UUID";
}

/** To make a text or an object of each takes ten times longer, so that this reads the bytes, which are not public. */
function uuidWords(vector: DuckDBUUIDVector): Uint32Array {
  const bytes = vector["dataView"];
  const validity = vector["validity"];
  const words = new Uint32Array(vector.itemCount * UUID_WORDS);
  for (let item = 0; item < vector.itemCount; item += 1) {
    if (!validity.itemValid(item)) continue;
    const [from, to] = [item * UUID_BYTES, item * UUID_WORDS];
    words[to] = bytes.getUint32(from + 12, true) ^ SIGN;
    words[to + 1] = bytes.getUint32(from + 8, true);
    words[to + 2] = bytes.getUint32(from + 4, true);
    words[to + 3] = bytes.getUint32(from, true);
  }
  return words;
}
