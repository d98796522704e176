/** How records are read: the name, and the bytes from which on a page is read in WebAssembly. */
export const ways = [
  ["in JavaScript", Number.POSITIVE_INFINITY],
  ["in WebAssembly", 0],
] as const;
