/** The ways in which records are read, and from how many bytes of a page on it is read in WebAssembly. */
export const ways = [
  ["in JavaScript", Number.POSITIVE_INFINITY],
  ["in WebAssembly", 0],
] as const;
