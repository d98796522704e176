import type { RecordColumn } from "../column/record-column.js";
import { ascii } from "../json/ascii.js";
import type { JsonBytes } from "../json/json-bytes.js";
import { MALFORMED, scanNumber, scanText } from "../json/scan-json.js";
import { CellBuilder } from "./cell-builder.js";
import { InstantColumn } from "./instant-column.js";
import { type InstantForm, instantForm, instantLength, readInstant } from "./instant-form.js";

/**
 * Reads timestamps. Those of the column's form, which is the first text's, become microseconds since 1970 in a
 * number's cell; every other value is kept as it is, a number among them outside of its cell.
 */
export class InstantBuilder extends CellBuilder {
  #form: InstantForm | undefined;
  #length = 0;
  #learned = false;

  /** The form of its texts; undefined until there was one, and if that has none. */
  get form(): InstantForm | undefined {
    return this.#form;
  }

  protected override readText(json: JsonBytes, start: number, row: number): number {
    const { bytes } = json;
    if (!this.#learned) this.#learn(bytes, start);
    const end = start + 1 + this.#length;
    if (this.#form && bytes[end] === ascii.quote) {
      const us = readInstant(json, start + 1, this.#form);
      if (!Number.isNaN(us)) {
        this.numbers[row] = us;
        return end + 1;
      }
    }
    return super.readText(json, start, row);
  }

  protected override readNumber({ bytes }: JsonBytes, start: number, row: number): number {
    return this.readOther(bytes, start, scanNumber(bytes, start), row);
  }

  override finish(cells: Uint32Array): RecordColumn {
    return new InstantColumn(cells, this.store, this.#form);
  }

  #learn(bytes: Uint8Array, start: number): void {
    const end = scanText(bytes, start);
    if (end === MALFORMED) return;
    this.#form = instantForm(Buffer.from(bytes.subarray(start + 1, end - 1)).toString("latin1"));
    this.#length = this.#form ? instantLength(this.#form) : 0;
    this.#learned = true;
  }
}
