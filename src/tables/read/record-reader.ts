import type { FieldType, Resource } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { freeMemory } from "../../core/free-memory.js";
import { CellBuilder } from "../cells/cell-builder.js";
import type { TextHeaps } from "../cells/cell-store.js";
import { GeometryBuilder } from "../cells/geometry-builder.js";
import { InstantBuilder } from "../cells/instant-column.js";
import { TextHeap } from "../cells/text-heap.js";
import { UuidBuilder } from "../cells/uuid-builder.js";
import { readMembers } from "../json/read-value.js";
import { ascii, type JsonBytes, MALFORMED } from "../json/scan-json.js";
import { type Place, RecordGrammar, type Segment } from "./record-grammar.js";
import { RecordStrides } from "./record-strides.js";

/** Words of a slab: so large that the system takes its memory back as soon as it is given back. */
const SLAB = 1 << 23;
/** Of fewer words in all nobody notices what they leave behind. */
const FEW = SLAB >> 2;

/**
 * Copies of the cells of pages, in large slabs that are given back together. As thousands of small arrays they would
 * leave gaps between what stays, which the process would keep.
 */
export class PageCells {
  readonly #few: number;
  readonly #slabs: Uint32Array[] = [];
  #copied = 0;
  /** Words of the last slab that are taken. */
  #taken = SLAB;

  /** @param few words that are copied into arrays of their own before there are slabs */
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

  /** Gives the memory of all copies back: nobody may look at them any more. */
  free(): void {
    for (const slab of this.#slabs.splice(0)) freeMemory(slab);
    this.#taken = SLAB;
    this.#copied = 0;
  }
}

/** The rows of one page as cells by column; a column without a value on the page is left out. */
export interface ColumnPage {
  readonly rowCount: number;
  readonly cells: Map<CellBuilder, Uint32Array>;
}

/** Bytes of a page from which on reading it in WebAssembly takes less time than to begin with it. */
const LARGE = 1 << 19;

/** Cells that may lie in the memory of WebAssembly: half a GiB, with what growing leaves behind. */
const MOST_CELLS = 1 << 25;
/** Rows for which there is room at first. */
const FEW_ROWS = 256;

/** The member of layer features whose own members are columns. */
const NESTED = "properties";

/**
 * Reads records of one resource from bytes into columns, a page at a time.
 *
 * A record that is written like an earlier one is read by the grammar, of large pages in WebAssembly; any other is read
 * member by member, with the same result, and the grammar learns from it.
 */
export class RecordReader {
  readonly resource: ResourceName;
  /** Columns of the records' members, those of the contract first. */
  readonly fields = new Map<string, CellBuilder>();
  /** Columns of the members of `properties`, in order of first appearance. */
  readonly properties = new Map<string, CellBuilder>();
  /** The member whose members are columns themselves. */
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
   * @param large bytes of a page from which on it is read in WebAssembly
   * @param mostCells cells, rows times columns, up to which that is done
   */
  constructor(resource: ResourceName, large = LARGE, mostCells = MOST_CELLS) {
    this.resource = resource;
    this.#large = large;
    this.#mostCells = mostCells;
    this.nested = resource === "layerFeatures" ? NESTED : undefined;
    const contract: Resource = resources[resource];
    for (const [name, { type }] of Object.entries(contract.fields)) this.#column(this.fields, name, type);
  }

  /** Rows of the present page that were read. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Begins with a page, before the first of its records. */
  begin(json: JsonBytes): void {
    if (json.bytes.length >= this.#large) this.#strides ??= this.#openStrides();
    this.#strides?.begin(json);
  }

  /**
   * Reads the record at `start` as the next row; of a large page, some that follow it, too.
   *
   * @returns the position after the last record that was read, or `MALFORMED`
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

  /** Forgets the rows of the present page. */
  restart(): void {
    this.#strides?.settle();
    this.#strides?.end();
    for (const column of this.#columns) column.wipe(this.#rowCount);
    this.#rowCount = 0;
  }

  /** Ends the page and gives its rows. */
  take(): ColumnPage {
    const { rowCount, cells } = this.view();
    const copied = new Map([...cells].map(([column, words]) => [column, this.#pages.copy(words)]));
    this.restart();
    return { rowCount, cells: copied };
  }

  /**
   * Gives the memory of all pages that were taken back: their cells were copied, or are not wanted. Forgets the rows of the
   * present page.
   */
  freePages(): void {
    this.restart();
    this.#pages.free();
    if (this.#strides) this.#leaveStrides(FEW_ROWS, 0);
  }

  /** The rows of the present page without a copy: their cells hold until `restart`. */
  view(): ColumnPage {
    this.#strides?.settle();
    const cells = new Map<CellBuilder, Uint32Array>();
    for (const column of this.#columns) {
      const words = column.view(this.#rowCount);
      if (words) cells.set(column, words);
    }
    return { rowCount: this.#rowCount, cells };
  }

  /** Forgets what the cells of the pages that were taken refer to, but for the texts of dictionaries. */
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
      learner.place = 1;
      const after = readMembers(bytes, p, (key, q) => learner.value(this.#column(this.properties, key), q, row));
      learner.place = 2;
      return after;
    });
    if (end === MALFORMED) return MALFORMED;
    const isUsual = nested.others === 0 && nested.objects === (this.nested ? 1 : 0);
    if (isUsual) this.#grammar.learn(learner.end(end));
    else if (nested.others + nested.objects === 0) this.fields.get(NESTED)?.readMissing(row);
    return end;
  }

  #column(columns: Map<string, CellBuilder>, name: string, type: FieldType = "json"): CellBuilder {
    const known = columns.get(name);
    if (known) return known;
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

  /** Reads the record at `start` and some that follow it. */
  #stride(strides: RecordStrides, start: number): number {
    try {
      return strides.read(start, this.#rowCount, this.#capacity);
    } finally {
      this.#rowCount = strides.rowEnd;
    }
  }

  /** Whether so many rows are too many for WebAssembly, whose memory has an end. */
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

/** Collects what stands between the values of one record. */
class GrammarLearner {
  place: Place = 0;
  readonly #json: JsonBytes;
  readonly #segments: Segment[] = [];
  #from: number;

  constructor(json: JsonBytes, start: number) {
    this.#json = json;
    this.#from = start;
  }

  value(column: CellBuilder, start: number, row: number): number {
    this.#segments.push({ literal: this.#json.bytes.slice(this.#from, start), column, place: this.place });
    this.#from = column.read(this.#json, start, row);
    return this.#from;
  }

  end(end: number): readonly Segment[] {
    return [
      ...this.#segments,
      { literal: this.#json.bytes.slice(this.#from, end), column: undefined, place: this.place },
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
