import { padded } from "./column-layout.js";

/** Chunks of bytes that lie one behind the other in a column file, each at a multiple of 8. */
export class ChunkSequence {
  readonly chunks: Uint8Array[] = [];
  #end = 0;

  /** Adds what belongs together, and says where it lies. */
  place(parts: readonly Uint8Array[]): { readonly offset: number; readonly bytes: number } {
    const offset = this.#end;
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#end += padded(bytes);
    this.chunks.push(...parts, Buffer.alloc(padded(bytes) - bytes));
    return { offset, bytes };
  }
}
