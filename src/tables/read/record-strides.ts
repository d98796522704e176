import { ABSENT } from "../cells/cell.js";
import { type CellBuilder, GeometryBuilder, UuidBuilder } from "../cells/cell-builder.js";
import type { TextHeaps } from "../cells/cell-store.js";
import { InstantBuilder, instantLength } from "../cells/instant-column.js";
import { JsonBytes, MALFORMED } from "../json/scan-json.js";
import { acquireRecords, type PooledRecords, type RecordsWasm, releaseRecords } from "../wasm/load-records.js";
import type { GrammarStep, RecordGrammar } from "./record-grammar.js";

/** The memory of readers in WebAssembly. It moves when it grows. */
class StrideMemory {
  readonly wasm: RecordsWasm;
  /** The whole memory. */
  json: JsonBytes;
  readonly #moved: () => void;

  /** @param moved called when views of the memory must be recreated */
  constructor(wasm: RecordsWasm, moved: () => void) {
    this.wasm = wasm;
    this.#moved = moved;
    this.json = new JsonBytes(new Uint8Array(wasm.memory.buffer));
  }

  get bytes(): Uint8Array {
    return this.json.bytes;
  }

  /** Updates the views after calls that may have grown the memory. */
  settle(): void {
    // Growing a memory detaches its former buffer, whose views then have the length 0.
    if (this.json.bytes.length > 0) return;
    this.json = new JsonBytes(new Uint8Array(this.wasm.memory.buffer));
    this.#moved();
  }

  /** Copies bytes into it permanently, and returns their address. */
  keep(bytes: Uint8Array): number {
    const pointer = this.wasm.allocate(bytes.length);
    this.settle();
    this.bytes.set(bytes, pointer);
    return pointer;
  }
}

/** Kinds of values: see `assembly/column.ts`. */
const kinds = { any: 0, instant: 1, uuid: 2, geometry: 3, geometryToo: 4 } as const;

/** Buffer in bytes for UUIDs that were read and not yet added to the heap. */
const UUID_BYTES = 1 << 16;

/** A column in WebAssembly, and its builder, whose cells are in the same memory. */
class StrideColumn {
  /** Its address. */
  readonly pointer: number;
  readonly #memory: StrideMemory;
  readonly #builder: CellBuilder;
  readonly #dictionary: number;
  readonly #uuids: number | undefined;
  #cells: number;
  #rows: number;
  #knowsForm = false;

  /** @param isFurther whether another column has geometries already: there is only one buffer for them */
  constructor(memory: StrideMemory, builder: CellBuilder, capacity: number, isFurther: boolean) {
    const { wasm } = memory;
    this.#memory = memory;
    this.#builder = builder;
    this.#rows = capacity;
    this.pointer = wasm.newColumn(builder.index, kindOf(builder, isFurther));
    this.#cells = wasm.moveCells(this.pointer, 0, capacity, ABSENT);
    this.#dictionary = wasm.newDictionary();
    this.#uuids = builder instanceof UuidBuilder ? wasm.allocate(UUID_BYTES) : undefined;
    this.#mirrorDictionary();
  }

  /** Whether the targets of values, or their form, must be set before each run. */
  get isSetUp(): boolean {
    return this.#uuids !== undefined || this.#builder instanceof InstantBuilder;
  }

  get builder(): CellBuilder {
    return this.#builder;
  }

  /** Makes room for a total of `capacity` rows. */
  reserve(capacity: number): void {
    this.#cells = this.#memory.wasm.moveCells(this.pointer, this.#rows, capacity, ABSENT);
    this.#rows = capacity;
  }

  /** Passes the cells to the builder, again after each growth of the memory. */
  showCells(): void {
    this.#builder.setCells(new Uint32Array(this.#memory.wasm.memory.buffer, this.#cells, 2 * this.#rows));
  }

  /** Sets the builder's learned form, and the targets of values. */
  begin(): void {
    const { wasm } = this.#memory;
    if (this.#uuids !== undefined) {
      wasm.setUuids(this.pointer, this.#uuids, this.#uuids + UUID_BYTES, this.#builder.store.uuids.length);
    }
    if (!this.#knowsForm && this.#builder instanceof InstantBuilder) this.#setForm(this.#builder);
  }

  /** Adds the values that were read to the builder's heaps. */
  end(): void {
    if (this.#uuids === undefined) return;
    const end = this.#memory.wasm.uuidsEnd(this.pointer);
    if (end === this.#uuids) return;
    this.#builder.store.uuids.appendWords(
      new Uint32Array(this.#memory.bytes.buffer, this.#uuids, (end - this.#uuids) / 4),
    );
  }

  /** Gives the builder separate memory for a number of rows, with the cells of the first ones. */
  close(rows: number, kept: number): void {
    const words = new Uint32Array(2 * rows).fill(ABSENT);
    words.set(new Uint32Array(this.#memory.wasm.memory.buffer, this.#cells, 2 * kept));
    this.#builder.setCells(words);
    this.#builder.store.dictionary.follow(undefined);
  }

  /** Informs the builder whether values were read. */
  settle(): void {
    if (this.#memory.wasm.takeUsed(this.pointer) !== 0) this.#builder.markUsed();
  }

  #setForm(builder: InstantBuilder): void {
    const { form } = builder;
    if (!form) return;
    const { wasm } = this.#memory;
    const suffix = this.#memory.keep(Buffer.from(form.suffix));
    wasm.setInstants(this.pointer, instantLength(form), form.decimals, suffix, form.suffix.length, form.offsetUs);
    this.#knowsForm = true;
  }

  /** Adds new strings of the dictionary in WebAssembly. */
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
    wasm.setDictionary(this.pointer, this.#dictionary);
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
      close: () => wasm.setDictionary(this.pointer, 0),
    });
  }
}

/** Bytes of a page that are read together: they fit the cache of a core. Zeros follow them. */
const WINDOW = (1 << 18) - 128;
const PADDING = 64;
/**
 * A record that begins this close to the end of the window is read with the next window; for long records, the distance
 * is larger.
 */
const NEAR = 1 << 14;
const FARTHEST = WINDOW / 2;
/** Buffers in bytes for strings and numbers that were read and not yet added to their heaps. */
const TEXT_BYTES = 1 << 18;
const NUMBER_BYTES = 1 << 18;
/** Instead of a column: the record ends. */
const RECORD_END = 0;
/** Strings are copied 16 bytes at once. */
const COPIED = 16;

/**
 * Reads runs of records in WebAssembly, by the learned grammar: see decision 6.
 *
 * Values that are irregular, or new to their dictionary, are read by the column's builder, and records with another
 * pattern by the caller. Cells are in shared memory, so that all of them write to the same cells.
 */
export class RecordStrides {
  /** The row after the last row read. */
  rowEnd = 0;
  readonly #records: PooledRecords;
  readonly #memory: StrideMemory;
  readonly #columns: StrideColumn[] = [];
  /** Columns that are set up before each run. */
  readonly #setUp: StrideColumn[] = [];
  readonly #heaps: TextHeaps;
  readonly #grammar: RecordGrammar;
  /** Addresses of the grammar's states, by their keys. */
  readonly #states = new Map<number, number>();
  #stepCount = 0;
  /** Number of strings that were added. */
  #words = 0;
  readonly #window: number;
  readonly #texts: number;
  readonly #numbers: number;
  /** The geometries of the only column with geometries. */
  #geometries: GeometryBuilder | undefined;
  #json: JsonBytes | undefined;
  /** The part of the page in the window. */
  #start = 0;
  #end = 0;
  #near = NEAR;
  /** Position in the page of the record that the caller must read; -1 for none. */
  #missed = -1;

  /** @returns undefined without WebAssembly */
  static open(heaps: TextHeaps, grammar: RecordGrammar): RecordStrides | undefined {
    let strides: RecordStrides | undefined;
    const records = acquireRecords((column, pointer, row) => strides?.readOdd(column, pointer, row) ?? 0);
    if (records) strides = new RecordStrides(records, heaps, grammar);
    return strides;
  }

  private constructor(records: PooledRecords, heaps: TextHeaps, grammar: RecordGrammar) {
    const { wasm } = records;
    this.#records = records;
    this.#memory = new StrideMemory(wasm, () => this.#showCells());
    this.#heaps = heaps;
    this.#grammar = grammar;
    this.#window = wasm.allocate(WINDOW + PADDING);
    this.#texts = wasm.allocate(TEXT_BYTES);
    this.#numbers = wasm.allocate(NUMBER_BYTES);
  }

  /** Adds the next column, which has no values yet. */
  add(builder: CellBuilder, capacity: number): void {
    const isFurther = this.#geometries !== undefined;
    if (builder instanceof GeometryBuilder) this.#geometries ??= builder;
    const column = new StrideColumn(this.#memory, builder, capacity, isFurther);
    this.#columns.push(column);
    if (column.isSetUp) this.#setUp.push(column);
    this.#memory.settle();
    column.showCells();
  }

  /** Releases the page. */
  end(): void {
    this.#json = undefined;
  }

  /** Makes room for a total of `capacity` rows. */
  reserve(capacity: number): void {
    for (const column of this.#columns) column.reserve(capacity);
    this.#memory.settle();
    this.#showCells();
  }

  /** Starts a page. */
  begin(json: JsonBytes): void {
    this.#json = json;
    this.#start = 0;
    this.#end = 0;
    this.#missed = -1;
  }

  /**
   * Reads records from the one at `start` on into rows.
   *
   * @returns the position after the last one, whose row is before `rowEnd`; `MALFORMED` if the first one could not be
   * read
   */
  read(start: number, row: number, rows: number): number {
    this.rowEnd = row;
    if (start === this.#missed || this.#followsLonger(start)) return MALFORMED;
    this.#learn();
    this.#look(start);
    const length = this.#json?.bytes.length ?? 0;
    const near = this.#end === length ? this.#end + 1 : this.#end - this.#near;
    const state = this.#state(this.#grammar.start);
    const end = this.#run(state, start, near, row, rows);
    const missedAt = this.#memory.wasm.missedAt();
    const missed = missedAt === 0 ? -1 : this.#position(missedAt);
    this.#missed = missed === start || missed < near ? missed : -1;
    return missed === start ? MALFORMED : end;
  }

  /**
   * Whether the record before the one at `start` was longer than a window, so that this one may be too: then the caller
   * reads it.
   */
  #followsLonger(start: number): boolean {
    if (this.#missed < 0) return false;
    const length = start - this.#missed;
    this.#near = Math.min(FARTHEST, Math.max(this.#near, length));
    if (length <= WINDOW) return false;
    this.#missed = start;
    return true;
  }

  /** Counts what was read even if reading an irregular value throws. */
  #run(state: number, start: number, near: number, row: number, rows: number): number {
    const { wasm } = this.#memory;
    this.#beginHeaps();
    for (const column of this.#setUp) column.begin();
    try {
      const [first, end, nearEnd] = [this.#offset(start), this.#offset(this.#end), this.#offset(near)];
      return this.#position(wasm.readRecords(state, first, end, nearEnd, row, rows));
    } finally {
      this.#endHeaps();
      this.#adoptWords();
      for (const column of this.#setUp) column.end();
      this.rowEnd = wasm.rowsEnd();
    }
  }

  /** Reads an irregular value for the readers in WebAssembly, which continue after it. */
  readOdd(index: number, pointer: number, row: number): number {
    const column = this.#columns[index];
    if (!column || !this.#json) return 0;
    this.#endHeaps();
    // The builder only adds to its own column; checking all columns for every irregular value would take longer than
    // reading it.
    column.adoptWords();
    column.end();
    try {
      const end = column.builder.read(this.#json, this.#position(pointer), row);
      return end === MALFORMED ? 0 : this.#offset(end);
    } finally {
      this.#beginHeaps();
      column.begin();
    }
  }

  /** Frees its memory; builders get separate cells again, for a number of rows, with those of the first ones. */
  close(rows: number, kept = 0): void {
    this.settle();
    for (const column of this.#columns) column.close(rows, kept);
    releaseRecords(this.#records);
  }

  /** Informs the builders which of them have values. */
  settle(): void {
    for (const column of this.#columns) column.settle();
  }

  /** Copies the record at `start` into the window, with as much after it as fits. */
  #look(start: number): void {
    const { bytes } = this.#json ?? { bytes: new Uint8Array(0) };
    const isThere = start >= this.#start && start < this.#end;
    if (isThere && (this.#end === bytes.length || this.#end - start >= this.#near)) return;
    this.#start = start;
    this.#end = Math.min(bytes.length, start + WINDOW);
    this.#memory.bytes.set(bytes.subarray(start, this.#end), this.#window);
    this.#memory.bytes.fill(0, this.#offset(this.#end), this.#offset(this.#end) + PADDING);
  }

  #offset(position: number): number {
    return position - this.#start + this.#window;
  }

  #position(pointer: number): number {
    return pointer - this.#window + this.#start;
  }

  #beginHeaps(): void {
    const { wasm } = this.#memory;
    const { texts } = this.#heaps;
    const room = Math.min(TEXT_BYTES - COPIED, texts.room);
    wasm.setTexts(this.#texts, this.#texts + room, texts.end);
    const numbers = this.#geometries?.store.geometries?.numbers;
    if (numbers) {
      const bytes = Math.min(NUMBER_BYTES, 8 * numbers.room);
      wasm.setNumbers(this.#numbers, this.#numbers + bytes, numbers.next);
    }
  }

  #endHeaps(): void {
    // Strings may have grown the memory.
    this.#memory.settle();
    const { wasm, bytes } = this.#memory;
    const texts = wasm.textsEnd();
    if (texts > this.#texts) this.#heaps.texts.appendBytes(bytes.subarray(this.#texts, texts));
    const count = (wasm.numbersEnd() - this.#numbers) / 8;
    if (count > 0)
      this.#geometries?.store.geometries?.numbers.append(new Float64Array(bytes.buffer, this.#numbers, count));
  }

  #adoptWords(): void {
    const words = this.#memory.wasm.addedWords();
    if (words !== this.#words) for (const column of this.#columns) column.adoptWords();
    this.#words = words;
  }

  #learn(): void {
    const { steps } = this.#grammar;
    for (; this.#stepCount < steps.length; this.#stepCount += 1) {
      const step = steps[this.#stepCount];
      if (step) this.#addStep(step);
    }
  }

  #addStep({ from, literal, column, next }: GrammarStep): void {
    const pointer = column ? this.#columns[column.index]?.pointer : RECORD_END;
    if (pointer === undefined) return;
    const at = this.#memory.wasm.newStep(this.#state(from), literal.length, pointer, this.#state(next));
    this.#memory.settle();
    this.#memory.bytes.set(literal, at);
  }

  #state(key: number): number {
    const existing = this.#states.get(key);
    if (existing !== undefined) return existing;
    const pointer = this.#memory.wasm.newState();
    this.#memory.settle();
    this.#states.set(key, pointer);
    return pointer;
  }

  #showCells(): void {
    for (const column of this.#columns) column.showCells();
  }
}

function kindOf(builder: CellBuilder, isFurther: boolean): number {
  if (builder instanceof InstantBuilder) return kinds.instant;
  if (builder instanceof UuidBuilder) return kinds.uuid;
  if (!(builder instanceof GeometryBuilder)) return kinds.any;
  return isFurther ? kinds.geometryToo : kinds.geometry;
}
