/** JSON text as bytes, to be read one at a time and several at once. */
export interface JsonBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Both views of the same bytes. */
export function jsonBytes(bytes: Uint8Array): JsonBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}
