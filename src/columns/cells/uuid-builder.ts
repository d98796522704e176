import { ascii } from "../json/ascii.js";
import type { JsonBytes } from "../json/json-bytes.js";
import { scanText } from "../json/scan-json.js";
import { boxed, tags } from "./cell.js";
import { CellBuilder } from "./cell-builder.js";

const LENGTH = 36;

/** Reads UUIDs: texts that never repeat, checked as they are copied. */
export class UuidBuilder extends CellBuilder {
  protected override readText(json: JsonBytes, start: number, row: number): number {
    const { bytes } = json;
    const end = start + 1 + LENGTH;
    if (bytes[end] !== ascii.quote || !isUuidAt(bytes, start + 1)) {
      return this.readOther(bytes, start, scanText(bytes, start), row);
    }
    this.box(row, boxed(tags.text, LENGTH), this.store.heap.append(json, start + 1, end));
    return end + 1;
  }
}

function isUuidAt(bytes: Uint8Array, start: number): boolean {
  for (let n = 0; n < LENGTH; n += 1) {
    const wanted = n === 8 || n === 13 || n === 18 || n === 23 ? DASH : HEX;
    if (kinds[bytes[start + n] ?? 0] !== wanted) return false;
  }
  return true;
}

const HEX = 1;
const DASH = 2;
const kinds = new Uint8Array(256);
for (const digit of Buffer.from("0123456789abcdefABCDEF")) kinds[digit] = HEX;
kinds[ascii.minus] = DASH;
