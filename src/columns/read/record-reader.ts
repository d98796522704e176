import type { FieldType } from "../../api/form/field.js";
import type { Resource } from "../../api/form/resource.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { CellBuilder } from "../cells/cell-builder.js";
import type { TextHeaps } from "../cells/cell-store.js";
import { GeometryBuilder } from "../cells/geometry-builder.js";
import { InstantBuilder } from "../cells/instant-builder.js";
import { TextHeap } from "../cells/text-heap.js";
import { UuidBuilder } from "../cells/uuid-builder.js";
import { ascii } from "../json/ascii.js";
import type { JsonBytes } from "../json/json-bytes.js";
import { readMembers } from "../json/read-members.js";
import { MALFORMED } from "../json/scan-json.js";
import { PageCells } from "./page-cells.js";
import { type Passage, type Place, RecordGrammar } from "./record-grammar.js";

/** The rows of one page as cells by column; a column without a value on the page is left out. */
export interface ColumnPage {
  readonly rowCount: number;
  readonly cells: Map<CellBuilder, Uint32Array>;
}

/** The member of layer features whose own members are columns. */
const NESTED = "properties";

/**
 * Reads records of one resource from bytes into columns, a page at a time.
 *
 * A record that is written like an earlier one is read by the grammar; any other is read member by member, with the
 * same result, and the grammar learns from it.
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
  #rowCount = 0;
  #capacity = 256;

  constructor(resource: ResourceName) {
    this.resource = resource;
    this.nested = resource === "layerFeatures" ? NESTED : undefined;
    const contract: Resource = resources[resource];
    for (const [name, { type }] of Object.entries(contract.fields)) this.#column(this.fields, name, type);
  }

  /**
   * Reads the record at `start` as the next row.
   *
   * @returns the position after the record, or `MALFORMED`
   */
  read(json: JsonBytes, start: number): number {
    if (this.#rowCount === this.#capacity) this.#reserve(2 * this.#capacity);
    const row = this.#rowCount;
    let end = this.#grammar.read(json, start, row);
    if (end === MALFORMED) {
      for (const column of this.#columns) column.clear(row);
      end = this.#readMembers(json, start, row);
    }
    if (end !== MALFORMED) this.#rowCount += 1;
    return end;
  }

  /** Forgets the rows of the present page. */
  restart(): void {
    for (const column of this.#columns) column.wipe(this.#rowCount);
    this.#rowCount = 0;
  }

  /** Ends the page and gives its rows. */
  take(): ColumnPage {
    const { rowCount, cells } = this.lend();
    const copied = new Map([...cells].map(([column, lent]) => [column, this.#pages.copy(lent)]));
    this.restart();
    return { rowCount, cells: copied };
  }

  /** Gives the memory of all pages that were taken back: their cells were copied, or are not wanted. */
  freePages(): void {
    this.#pages.free();
  }

  /** The rows of the present page without a copy: their cells hold until `restart`. */
  lend(): ColumnPage {
    const cells = new Map<CellBuilder, Uint32Array>();
    for (const column of this.#columns) {
      const lent = column.lend(this.#rowCount);
      if (lent) cells.set(column, lent);
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
    const lesson = new Lesson(json, start);
    const nested = { objects: 0, others: 0 };
    const end = readMembers(bytes, start, (name, p) => {
      if (name !== this.nested) return lesson.value(this.#column(this.fields, name), p, row);
      const self = this.#column(this.fields, name);
      for (const column of [self, ...this.properties.values()]) column.clear(row);
      if (bytes[p] !== ascii.openBrace) {
        nested.others += 1;
        return self.read(json, p, row);
      }
      nested.objects += 1;
      lesson.place = 1;
      const after = readMembers(bytes, p, (key, q) => lesson.value(this.#column(this.properties, key), q, row));
      lesson.place = 2;
      return after;
    });
    if (end === MALFORMED) return MALFORMED;
    const isUsual = nested.others === 0 && nested.objects === (this.nested ? 1 : 0);
    if (isUsual) this.#grammar.learn(lesson.end(end));
    else if (nested.others + nested.objects === 0) this.fields.get(NESTED)?.readMissing(row);
    return end;
  }

  #column(columns: Map<string, CellBuilder>, name: string, type: FieldType = "json"): CellBuilder {
    const known = columns.get(name);
    if (known) return known;
    const column = makeBuilder(type, this.#columns.length, this.#capacity, this.#heaps);
    columns.set(name, column);
    this.#columns.push(column);
    return column;
  }

  #reserve(capacity: number): void {
    this.#capacity = capacity;
    for (const column of this.#columns) column.reserve(capacity);
  }
}

/** Collects what stands between the values of one record. */
class Lesson {
  place: Place = 0;
  readonly #json: JsonBytes;
  readonly #passages: Passage[] = [];
  #from: number;

  constructor(json: JsonBytes, start: number) {
    this.#json = json;
    this.#from = start;
  }

  value(column: CellBuilder, start: number, row: number): number {
    this.#passages.push({ literal: this.#json.bytes.slice(this.#from, start), column, place: this.place });
    this.#from = column.read(this.#json, start, row);
    return this.#from;
  }

  end(end: number): readonly Passage[] {
    return [
      ...this.#passages,
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
