import { isUuid } from "../../core/uuid.js";
import { ascii, type JsonBytes, scanText } from "../json/scan-json.js";
import { boxed, tags, UUID_CELL } from "./cell.js";
import { CellBuilder } from "./cell-builder.js";
import { NO_UUID } from "./uuid-heap.js";

const UUID_BYTES = 36;

/** Reads UUIDs, which never repeat: in lower case as words, with capital letters as strings. */
export class UuidBuilder extends CellBuilder {
  protected override readText(json: JsonBytes, start: number, row: number): number {
    const end = start + 1 + UUID_BYTES;
    if (json.bytes[end] !== ascii.quote) return this.readOther(json.bytes, start, scanText(json.bytes, start), row);
    const index = this.store.uuids.append(json, start + 1);
    if (index === NO_UUID) return this.#readRare(json, start, end, row);
    this.box(row, UUID_CELL, index);
    return end + 1;
  }

  #readRare(json: JsonBytes, start: number, end: number, row: number): number {
    const { buffer, byteOffset } = json.bytes;
    const text = Buffer.from(buffer, byteOffset + start + 1, UUID_BYTES).toString("latin1");
    if (!isUuid(text)) return this.readOther(json.bytes, start, scanText(json.bytes, start), row);
    this.box(row, boxed(tags.text, UUID_BYTES), this.store.heap.append(json, start + 1, end));
    return end + 1;
  }
}
