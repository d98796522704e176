const factor = 0x5bd1e995;

/** MurmurHash2 of a text's UTF-8, 32 bits, without a sign: how clients of Jupyter's debugger name a cell's source. */
export function murmur2(text: string, seed: number): number {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = (seed ^ bytes.length) | 0;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = Math.imul(hash, factor) ^ mixed(view.getInt32(at, true));
  }
  const rest = bytes.subarray(at);
  if (rest.length > 0) {
    for (const [index, byte] of rest.entries()) hash ^= byte << (8 * index);
    hash = Math.imul(hash, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function mixed(word: number): number {
  const product = Math.imul(word, factor);
  return Math.imul(product ^ (product >>> 24), factor);
}
