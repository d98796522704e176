/**
 * JSON text as bytes, to be read one at a time and several at once.
 *
 * A class and not an object literal: the compiled readers rely on the shape of its first instance, and a literal gets
 * its final shape with the second only, which would throw them away after the first page. For the same reason `bytes`
 * must be a plain `Uint8Array`.
 */
export class JsonBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = new Uint8Array(buffer, byteOffset, byteLength);
    this.view = new DataView(buffer, byteOffset, byteLength);
  }
}
