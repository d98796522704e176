import type { FieldType, Resource } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { freeMemory } from "../../core/free-memory.js";
import { CellBuilder, GeometryBuilder, UuidBuilder } from "../cells/cell-builder.js";
import type { TextHeaps } from "../cells/cell-store.js";
import { InstantBuilder } from "../cells/instant-column.js";
import { TextHeap } from "../cells/text-heap.js";
import { readMembers } from "../json/read-value.js";
import { ascii, type JsonBytes, MALFORMED } from "../json/scan-json.js";
import { type Place, RecordGrammar, type Segment } from "./record-grammar.js";
import { RecordStrides } from "./record-strides.js";

/** Words of a slab: large enough for the system to reclaim its memory as soon as it is freed. */
const SLAB = 1 << 23;
/** Below this number of words, fragmentation is negligible. */
const FEW = SLAB >> 2;

/**
 * Copies of the cells of pages, in large slabs that are freed together. Thousands of small arrays would leave gaps in
 * memory that the process would keep.
 */
export class PageCells {
  readonly #few: number;
  readonly #slabs: Uint32Array[] = [];
  #copied = 0;
  /** Used words of the last slab. */
  #taken = SLAB;

  /** @param few number of words that are copied into separate arrays before slabs are used */
  constructor(few = FEW) {
    this.#few = few;
  }

  /** Copies the cells of a column. */
  copy(cells: Uint32Array): Uint32Array {
    this.#copied += cells.length;
    if (this.#copied <= this.#few || cells.length > SLAB) return cells.slice();
    const start = this.#taken + cells.length > SLAB ? 0 : this.#taken;
    if (start === 0) this.#slabs.push(new Uint32Array(SLAB));
    this.#taken = start + cells.length;
    const copied = this.#slabs.at(-1)?.subarray(start, this.#taken) ?? new Uint32Array(cells.length);
    copied.set(cells);
    return copied;
  }

  /** Frees the memory of all copies, which must no longer be used. */
  free(): void {
    for (const slab of this.#slabs.splice(0)) freeMemory(slab);
    this.#taken = SLAB;
    this.#copied = 0;
  }
}

/** The rows of one page as cells by column; columns without a value on the page are left out. */
export interface ColumnPage {
  readonly rowCount: number;
  readonly cells: Map<CellBuilder, Uint32Array>;
}

/**
 * Minimum size in bytes of pages that are read in WebAssembly; for smaller ones, the setup takes longer than it saves.
 */
const LARGE = 1 << 19;

/** Maximum number of cells in WebAssembly memory: half a GiB, including the remains of growing. */
const MOST_CELLS = 1 << 25;
/** Initial capacity in rows. */
const FEW_ROWS = 256;

/** The member of layer features whose own members are columns. */
const NESTED = "properties";

/**
 * Reads records of one resource from bytes into columns, a page at a time.
 *
 * A record with a known pattern is read by the grammar, in WebAssembly for large pages. Other records are read member
 * by member, with the same result, and the grammar learns from them.
 */
export class RecordReader {
  readonly resource: ResourceName;
  /** Columns of the records' members, those of the contract first. */
  readonly fields = new Map<string, CellBuilder>();
  /** Columns of the members of `properties`, in order of first appearance. */
  readonly properties = new Map<string, CellBuilder>();
  /** The member whose members are separate columns. */
  readonly nested: string | undefined;
  readonly #heaps: TextHeaps = { words: new TextHeap(), texts: new TextHeap() };
  readonly #columns: CellBuilder[] = [];
  readonly #pages = new PageCells();
  readonly #grammar = new RecordGrammar();
  readonly #large: number;
  readonly #mostCells: number;
  #strides: RecordStrides | undefined;
  #rowCount = 0;
  #capacity = FEW_ROWS;

  /**
   * @param large minimum size in bytes of pages that are read in WebAssembly
   * @param mostCells maximum number of cells, rows times columns, for WebAssembly
   */
  constructor(resource: ResourceName, large = LARGE, mostCells = MOST_CELLS) {
    this.resource = resource;
    this.#large = large;
    this.#mostCells = mostCells;
    this.nested = resource === "layerFeatures" ? NESTED : undefined;
    const contract: Resource = resources[resource];
    for (const [name, { type }] of Object.entries(contract.fields)) this.#column(this.fields, name, type);
  }

  /** Number of rows read from the current page. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Starts a page, before the first of its records. */
  begin(json: JsonBytes): void {
    if (json.bytes.length >= this.#large) this.#strides ??= this.#openStrides();
    this.#strides?.begin(json);
  }

  /**
   * Reads the record at `start` as the next row; in a large page, also some of the following ones.
   *
   * @returns the position after the last record read, or `MALFORMED`
   */
  read(json: JsonBytes, start: number): number {
    if (this.#rowCount === this.#capacity) this.#reserve(2 * this.#capacity);
    const row = this.#rowCount;
    const strides = this.#strides;
    let end = strides ? this.#stride(strides, start) : this.#grammar.read(json, start, row);
    if (strides && end !== MALFORMED) return end;
    if (end === MALFORMED) {
      for (const column of this.#columns) column.clear(row);
      end = this.#readMembers(json, start, row);
    }
    if (end !== MALFORMED) this.#rowCount += 1;
    return end;
  }

  /** Discards the rows of the current page. */
  restart(): void {
    this.#strides?.settle();
    this.#strides?.end();
    for (const column of this.#columns) column.wipe(this.#rowCount);
    this.#rowCount = 0;
  }

  /** Ends the page and returns its rows. */
  take(): ColumnPage {
    const { rowCount, cells } = this.view();
    const copied = new Map([...cells].map(([column, words]) => [column, this.#pages.copy(words)]));
    this.restart();
    return { rowCount, cells: copied };
  }

  /**
   * Frees the memory of all pages that were taken, after their cells were copied or are no longer needed. Discards the
   * rows of the current page.
   */
  freePages(): void {
    this.restart();
    this.#pages.free();
    if (this.#strides) this.#leaveStrides(FEW_ROWS, 0);
  }

  /** The rows of the current page without a copy: their cells are valid until `restart`. */
  view(): ColumnPage {
    this.#strides?.settle();
    const cells = new Map<CellBuilder, Uint32Array>();
    for (const column of this.#columns) {
      const words = column.view(this.#rowCount);
      if (words) cells.set(column, words);
    }
    return { rowCount: this.#rowCount, cells };
  }

  /** Releases the data that cells of taken pages refer to, except the strings of dictionaries. */
  release(): void {
    this.#heaps.texts.clear();
    for (const { store } of this.#columns) {
      store.uuids.clear();
      store.others.length = 0;
    }
  }

  #readMembers(json: JsonBytes, start: number, row: number): number {
    const { bytes } = json;
    const learner = new GrammarLearner(json, start);
    const nested = { objects: 0, others: 0 };
    const end = readMembers(bytes, start, (name, p) => {
      if (name !== this.nested) return learner.value(this.#column(this.fields, name), p, row);
      const self = this.#column(this.fields, name);
      for (const column of [self, ...this.properties.values()]) column.clear(row);
      if (bytes[p] !== ascii.openBrace) {
        nested.others += 1;
        return self.read(json, p, row);
      }
      nested.objects += 1;
      learner.flags = 1;
      const after = readMembers(bytes, p, (key, q) => learner.value(this.#column(this.properties, key), q, row));
      learner.flags = 2;
      return after;
    });
    if (end === MALFORMED) return MALFORMED;
    const isUsual = nested.others === 0 && nested.objects === (this.nested ? 1 : 0);
    if (isUsual) this.#grammar.learn(learner.end(end));
    else if (nested.others + nested.objects === 0) this.fields.get(NESTED)?.readMissing(row);
    return end;
  }

  #column(columns: Map<string, CellBuilder>, name: string, type: FieldType = "json"): CellBuilder {
    const existing = columns.get(name);
    if (existing) return existing;
    const column = makeBuilder(type, this.#columns.length, this.#capacity, this.#heaps);
    columns.set(name, column);
    this.#columns.push(column);
    if (this.#isTooMuch(this.#capacity)) this.#leaveStrides(this.#capacity, this.#capacity);
    this.#strides?.add(column, this.#capacity);
    return column;
  }

  #reserve(capacity: number): void {
    if (this.#isTooMuch(capacity)) this.#leaveStrides(this.#capacity, this.#capacity);
    this.#capacity = capacity;
    if (this.#strides) this.#strides.reserve(capacity);
    else for (const column of this.#columns) column.reserve(capacity);
  }

  /** Reads the record at `start` and some of the following ones. */
  #stride(strides: RecordStrides, start: number): number {
    try {
      return strides.read(start, this.#rowCount, this.#capacity);
    } finally {
      this.#rowCount = strides.rowEnd;
    }
  }

  /** Whether a number of rows is too large for the limited memory of WebAssembly. */
  #isTooMuch(rows: number): boolean {
    return this.#strides !== undefined && rows * this.#columns.length > this.#mostCells;
  }

  /** Reads the rest of the page in JavaScript. */
  #leaveStrides(capacity: number, kept: number): void {
    this.#strides?.close(capacity, kept);
    this.#strides = undefined;
    this.#capacity = capacity;
  }

  #openStrides(): RecordStrides | undefined {
    if (this.#capacity * this.#columns.length > this.#mostCells) return undefined;
    const strides = RecordStrides.open(this.#heaps, this.#grammar);
    for (const column of this.#columns) strides?.add(column, this.#capacity);
    return strides;
  }
}

/** Collects the bytes between the values of one record. */
class GrammarLearner {
  flags: Place = 0;
  readonly #json: JsonBytes;
  readonly #segments: Segment[] = [];
  #from: number;

  constructor(json: JsonBytes, start: number) {
    this.#json = json;
    this.#from = start;
  }

  value(column: CellBuilder, start: number, row: number): number {
    this.#segments.push({ literal: this.#json.bytes.slice(this.#from, start), column, flags: this.flags });
    this.#from = column.read(this.#json, start, row);
    return this.#from;
  }

  end(end: number): readonly Segment[] {
    return [
      ...this.#segments,
      { literal: this.#json.bytes.slice(this.#from, end), column: undefined, flags: this.flags },
    ];
  }
}

function makeBuilder(type: FieldType, index: number, capacity: number, heaps: TextHeaps): CellBuilder {
  switch (type) {
    case "timestamp":
      return new InstantBuilder(index, capacity, heaps);
    case "uuid":
      return new UuidBuilder(index, capacity, heaps);
    case "geometry":
    case "point":
    case "polygon":
      return new GeometryBuilder(index, capacity, heaps);
    default:
      return new CellBuilder(index, capacity, heaps);
  }
}
