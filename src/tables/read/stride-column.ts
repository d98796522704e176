import { ABSENT } from "../cells/cell.js";
import type { CellBuilder } from "../cells/cell-builder.js";
import { GeometryBuilder } from "../cells/geometry-builder.js";
import { InstantBuilder } from "../cells/instant-builder.js";
import { instantLength } from "../cells/instant-form.js";
import { UuidBuilder } from "../cells/uuid-builder.js";
import type { StrideMemory } from "./stride-memory.js";

/** What values are read as: see `assembly/column.ts`. */
const kinds = { any: 0, instant: 1, uuid: 2, geometry: 3, geometryToo: 4 } as const;

/** Bytes for UUIDs that were read and not yet put into the heap. */
const UUID_BYTES = 1 << 16;

/** A column as the readers in WebAssembly see it, and its builder, whose cells lie in their memory. */
export class StrideColumn {
  /** Its address. */
  readonly place: number;
  readonly #memory: StrideMemory;
  readonly #builder: CellBuilder;
  readonly #dictionary: number;
  readonly #uuids: number | undefined;
  #cells: number;
  #rows: number;
  #knowsForm = false;

  /** @param isFurther whether another column has geometries already: they have one place to be read to */
  constructor(memory: StrideMemory, builder: CellBuilder, capacity: number, isFurther: boolean) {
    const { wasm } = memory;
    this.#memory = memory;
    this.#builder = builder;
    this.#rows = capacity;
    this.place = wasm.newColumn(builder.index, kindOf(builder, isFurther));
    this.#cells = wasm.moveCells(this.place, 0, capacity, ABSENT);
    this.#dictionary = wasm.newDictionary();
    this.#uuids = builder instanceof UuidBuilder ? wasm.allocate(UUID_BYTES) : undefined;
    this.#mirrorDictionary();
  }

  /** Whether it must be told before each reading where values go, or how they are written. */
  get isTold(): boolean {
    return this.#uuids !== undefined || this.#builder instanceof InstantBuilder;
  }

  get builder(): CellBuilder {
    return this.#builder;
  }

  /** Makes room for `capacity` rows in all. */
  reserve(capacity: number): void {
    this.#cells = this.#memory.wasm.moveCells(this.place, this.#rows, capacity, ABSENT);
    this.#rows = capacity;
  }

  /** Shows the builder its cells: anew whenever the memory has grown. */
  showCells(): void {
    this.#builder.setCells(new Uint32Array(this.#memory.wasm.memory.buffer, this.#cells, 2 * this.#rows));
  }

  /** Tells the readers of what the builder has learned, and where they may put what they read. */
  begin(): void {
    const { wasm } = this.#memory;
    if (this.#uuids !== undefined) {
      wasm.setUuids(this.place, this.#uuids, this.#uuids + UUID_BYTES, this.#builder.store.uuids.length);
    }
    if (!this.#knowsForm && this.#builder instanceof InstantBuilder) this.#tellForm(this.#builder);
  }

  /** Puts what was read into the builder's heaps. */
  end(): void {
    if (this.#uuids === undefined) return;
    const end = this.#memory.wasm.uuidsEnd(this.place);
    if (end === this.#uuids) return;
    this.#builder.store.uuids.appendWords(
      new Uint32Array(this.#memory.bytes.buffer, this.#uuids, (end - this.#uuids) / 4),
    );
  }

  /** Gives the builder memory of its own for so many rows, with the cells of the first ones. */
  close(rows: number, kept: number): void {
    const words = new Uint32Array(2 * rows).fill(ABSENT);
    words.set(new Uint32Array(this.#memory.wasm.memory.buffer, this.#cells, 2 * kept));
    this.#builder.setCells(words);
    this.#builder.store.dictionary.follow(undefined);
  }

  /** Tells the builder whether values were read. */
  settle(): void {
    if (this.#memory.wasm.takeUsed(this.place) !== 0) this.#builder.markUsed();
  }

  #tellForm(builder: InstantBuilder): void {
    const { form } = builder;
    if (!form) return;
    const { wasm } = this.#memory;
    const suffix = this.#memory.keep(Buffer.from(form.suffix));
    wasm.setInstants(this.place, instantLength(form), form.decimals, suffix, form.suffix.length, form.offsetUs);
    this.#knowsForm = true;
  }

  /** Takes over texts that were added to the dictionary. */
  adoptWords(): void {
    const { dictionary } = this.#builder.store;
    if (dictionary.closed) return;
    const { json } = this.#memory;
    const { view } = json;
    const size = view.getUint32(this.#dictionary, true);
    const words = view.getUint32(this.#dictionary + 4, true);
    for (let code = dictionary.size; code < size; code += 1) {
      const start = view.getUint32(words + 8 * code, true);
      dictionary.adopt(json, start, start + view.getUint32(words + 8 * code + 4, true));
    }
    if (view.getUint32(this.#dictionary + 8, true) !== 0) dictionary.close();
  }

  #mirrorDictionary(): void {
    const { wasm } = this.#memory;
    wasm.setDictionary(this.place, this.#dictionary);
    const dictionary = this.#dictionary;
    this.#builder.store.dictionary.follow({
      add: (text) => {
        wasm.addWord(dictionary, this.#memory.keep(text), text.length);
        this.#memory.settle();
      },
      get lookups() {
        return wasm.lookups(dictionary);
      },
      set lookups(count) {
        wasm.setLookups(dictionary, count);
      },
      close: () => wasm.setDictionary(this.place, 0),
    });
  }
}

function kindOf(builder: CellBuilder, isFurther: boolean): number {
  if (builder instanceof InstantBuilder) return kinds.instant;
  if (builder instanceof UuidBuilder) return kinds.uuid;
  if (!(builder instanceof GeometryBuilder)) return kinds.any;
  return isFurther ? kinds.geometryToo : kinds.geometry;
}
