import { parseInstant } from "../../core/instant.js";
import { type InstantForm, instantForm, writeInstant } from "../../tables/cells/instant-form.js";
import type { TypeCounts } from "../../tables/column/count-types.js";
import type { ColumnBuilder } from "./column-builder.js";
import { type ColumnEntry, padded } from "./column-layout.js";
import { GrowingBytes } from "./growing-bytes.js";

/** What a column's entry says of its bytes. Its name and its place in the file are not known here. */
type Encoding = Pick<ColumnEntry, "kind" | "form" | "textBytes">;

/** A column ready to be written. */
export interface EncodedColumn {
  readonly encoding: Encoding;
  readonly counts: TypeCounts;
  readonly chunks: readonly Uint8Array[];
  /** Bits of the rows that have the member, low bit first; undefined if every row has it. */
  readonly present: Uint8Array | undefined;
}

/** The last microsecond up to which doubles are exact. */
const LAST_US = Number.MAX_SAFE_INTEGER;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Chooses how a column is written: the first form that gives back each of its values. */
export function encodeColumn(column: ColumnBuilder): EncodedColumn {
  const counts = column.countTypes();
  return { ...encodeValues(column, counts), counts, present: presentBits(column) };
}

function encodeValues(column: ColumnBuilder, counts: TypeCounts): Pick<EncodedColumn, "encoding" | "chunks"> {
  const { rows } = column;
  const filled = rows - counts.null;
  const codes = column.codes();
  if (counts.number === filled) return { encoding: { kind: "number" }, chunks: [numbers(column, Number)] };
  if (codes && codes.texts.length <= Math.max(16, rows / 4)) return encodeCodes(codes);
  if (counts.string < filled) return { encoding: { kind: "json" }, chunks: places(column, (text) => text) };
  return encodeInstants(column) ?? encodeTexts(column);
}

function encodeCodes({ texts, rows }: { texts: readonly string[]; rows: readonly number[] }) {
  const text = Buffer.from(`[${texts.join()}]`);
  const values = Buffer.alloc(padded(text.length));
  text.copy(values);
  const isByte = texts.length < 256;
  const codes = isByte ? Uint8Array.from(rows) : Uint16Array.from(rows);
  const kind = isByte ? ("code8" as const) : ("code16" as const);
  return { encoding: { kind, textBytes: text.length }, chunks: [values, bytesOf(codes)] };
}

function encodeInstants(column: ColumnBuilder): Pick<EncodedColumn, "encoding" | "chunks"> | undefined {
  let form: InstantForm | undefined;
  for (let row = 0; row < column.rows; row += 1) {
    const text = column.text(row).slice(1, -1);
    if (text === "" && column.text(row) === "") continue;
    form ??= instantForm(text);
    const us = parseInstant(text)?.us;
    if (!form || us === undefined || us < 0 || us > LAST_US || writeInstant(us, form) !== text) return undefined;
  }
  if (!form) return undefined;
  const us = (text: string) => parseInstant(text.slice(1, -1))?.us ?? Number.NaN;
  return { encoding: { kind: "instant", form }, chunks: [numbers(column, us)] };
}

function encodeTexts(column: ColumnBuilder): Pick<EncodedColumn, "encoding" | "chunks"> {
  for (let row = 0; row < column.rows; row += 1) {
    const text = column.text(row);
    // A lone surrogate has no UTF-8: it stays the escape that came.
    if (text.includes("\\") && LONE_SURROGATE.test(JSON.parse(text) as string)) {
      return { encoding: { kind: "json" }, chunks: places(column, (json) => json) };
    }
  }
  const plain = (text: string) => (text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1));
  return { encoding: { kind: "text" }, chunks: places(column, plain) };
}

function numbers(column: ColumnBuilder, read: (text: string) => number): Uint8Array {
  const values = new Float64Array(column.rows);
  for (let row = 0; row < values.length; row += 1) {
    const text = column.text(row);
    values[row] = text === "" ? Number.NaN : read(text);
  }
  return bytesOf(values);
}

/** Positions and texts; each text has one byte more, so that an empty one is not null. */
function places(column: ColumnBuilder, write: (text: string) => string): readonly Uint8Array[] {
  const ends = new Uint32Array(column.rows + 1);
  const texts = new GrowingBytes();
  for (let row = 0; row < column.rows; row += 1) {
    const text = column.text(row);
    if (text !== "") texts.append(`${write(text)}\0`);
    ends[row + 1] = texts.length;
  }
  return [bytesOf(ends), texts.view()];
}

function presentBits(column: ColumnBuilder): Uint8Array | undefined {
  const bits = new Uint8Array(Math.ceil(column.rows / 8));
  let present = 0;
  for (let row = 0; row < column.rows; row += 1) {
    if (!column.has(row)) continue;
    bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
    present += 1;
  }
  return present === column.rows ? undefined : bits;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
