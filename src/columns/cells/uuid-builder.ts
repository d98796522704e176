import { ascii } from "../json/ascii.js";
import { hexPairs, NO_PAIR } from "../json/byte-pairs.js";
import type { JsonBytes } from "../json/json-bytes.js";
import { scanText } from "../json/scan-json.js";
import { UUID_BYTES, UUID_CELL } from "./cell.js";
import { CellBuilder } from "./cell-builder.js";

/** Reads UUIDs: texts that never repeat, checked as they are copied. */
export class UuidBuilder extends CellBuilder {
  protected override readText(json: JsonBytes, start: number, row: number): number {
    const end = start + 1 + UUID_BYTES;
    if (json.bytes[end] !== ascii.quote || !isUuidAt(json, start + 1)) {
      return this.readOther(json.bytes, start, scanText(json.bytes, start), row);
    }
    this.box(row, UUID_CELL, this.store.heap.append(json, start + 1, end));
    return end + 1;
  }
}

function isUuidAt({ bytes, view }: JsonBytes, start: number): boolean {
  for (const dash of DASHES) if (bytes[start + dash] !== ascii.minus) return false;
  for (const pair of PAIRS) if (hexPairs[view.getUint16(start + pair, true)] === NO_PAIR) return false;
  return true;
}

const DASHES = [8, 13, 18, 23];
const PAIRS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
