import { ascii, type JsonBytes, MALFORMED } from "../json/scan-json.js";
import { boxed, tags } from "./cell.js";
import { CellBuilder } from "./cell-builder.js";
import type { TextHeaps } from "./cell-store.js";
import { GeometryHeap } from "./geometry-heap.js";

/** Reads geometries: as flat coordinates if they are written in the usual form, otherwise as JSON text. */
export class GeometryBuilder extends CellBuilder {
  readonly #geometries: GeometryHeap;

  constructor(index: number, capacity: number, heaps: TextHeaps) {
    const geometries = new GeometryHeap();
    super(index, capacity, heaps, geometries);
    this.#geometries = geometries;
  }

  override read(json: JsonBytes, start: number, row: number): number {
    const end = json.bytes[start] === ascii.openBrace ? this.#geometries.read(json, start) : MALFORMED;
    if (end === MALFORMED) return super.read(json, start, row);
    this.box(row, boxed(tags.geometry), this.#geometries.last);
    return end;
  }
}
