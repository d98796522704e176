/** Random numbers from 0 to 1 by Marsaglia's xorshift: the same numbers on every machine. */
export function xorshift(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}
