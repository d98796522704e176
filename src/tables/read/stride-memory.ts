import { JsonBytes } from "../json/json-bytes.js";
import type { RecordsWasm } from "../wasm/load-records.js";

/** The memory of readers in WebAssembly, seen from outside. It moves when it grows. */
export class StrideMemory {
  readonly wasm: RecordsWasm;
  /** All of it. */
  json: JsonBytes;
  readonly #moved: () => void;

  /** @param moved is called when views of the memory are to be made anew */
  constructor(wasm: RecordsWasm, moved: () => void) {
    this.wasm = wasm;
    this.#moved = moved;
    this.json = new JsonBytes(new Uint8Array(wasm.memory.buffer));
  }

  get bytes(): Uint8Array {
    return this.json.bytes;
  }

  /** Sees to the memory after calls that may have let it grow. */
  settle(): void {
    if (this.json.bytes.length > 0 && this.json.bytes.buffer === this.wasm.memory.buffer) return;
    this.json = new JsonBytes(new Uint8Array(this.wasm.memory.buffer));
    this.#moved();
  }

  /** Copies bytes into it for good, and returns their place. */
  keep(bytes: Uint8Array): number {
    const place = this.wasm.allocate(bytes.length);
    this.settle();
    this.bytes.set(bytes, place);
    return place;
  }
}
