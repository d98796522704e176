import type { PropertyChange } from "../../api/resources.js";
import { type ParsedInstant, parseInstant } from "../../core/instant.js";
import { packUuid, UUID_WORDS } from "../../core/uuid.js";
import { CellColumn } from "../cells/cell-column.js";
import { GrowingArray } from "../cells/growing-array.js";
import { InstantColumn } from "../cells/instant-column.js";
import type { Column, RecordColumns } from "../column/column.js";

/** A column as codes, in the narrowest possible array, with the values of the codes. */
export interface CodedColumn {
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly values: readonly unknown[];
}

/** Flags of a change, which are added up. */
export const changeFlags = {
  /** The system made the change. */
  system: 1,
  /** The change has a cause. */
  caused: 2,
  /** `created_at` has no time zone. */
  zoneless: 4,
  /** `created_at` is a leap second or the end of a day, and was read as the start of the next second. */
  rolledOver: 8,
} as const;

/** Some property changes by column, packed, in reading order. */
export interface ChangeColumns {
  readonly rowCount: number;
  /** The words of their UUIDs. */
  readonly ids: Uint32Array;
  readonly featureIds: Float64Array;
  /** Property keys as received: one UUID may occur in both cases. */
  readonly keys: CodedColumn;
  /** New values. A value may have several codes. */
  readonly values: CodedColumn;
  /** Valid time, microseconds since 1970; NaN for an invalid `created_at`. */
  readonly timesUs: Float64Array;
  /** Sums of `changeFlags`. */
  readonly flags: Uint8Array;
  readonly users: CodedColumn;
  /** The words of their causes, only for changes that have one. */
  readonly causes: Uint32Array;
  /** Frees the memory of a column that is no longer needed. Undefined if the columns are shared. */
  forget?(column: ArrayBufferView): void;
}

/**
 * The columns of property changes that were read from bytes.
 *
 * @param readJson reads new values that are arrays or objects
 */
export function changeColumnsOfBytes(
  { rowCount, fields }: RecordColumns,
  readJson?: (text: string) => unknown,
): ChangeColumns {
  return pack(rowCount, (name) => fields.get(name) ?? [], readJson);
}

/** Columns of property changes from records in memory. */
export function changeColumnsOfRecords(records: readonly PropertyChange[]): ChangeColumns {
  return pack(records.length, (name) => records.map((record) => record[name]));
}

/** The changes from `start` to before `end`, without a copy. */
export function sliceChanges(changes: ChangeColumns, start: number, end: number): ChangeColumns {
  if (start === 0 && end === changes.rowCount) return changes;
  const part = ({ codes, values }: CodedColumn) => ({ codes: codes.subarray(start, end), values });
  const flags = changes.flags.subarray(start, end);
  const firstCause = countCaused(changes.flags.subarray(0, start));
  return {
    rowCount: end - start,
    ids: changes.ids.subarray(start * UUID_WORDS, end * UUID_WORDS),
    featureIds: changes.featureIds.subarray(start, end),
    keys: part(changes.keys),
    values: part(changes.values),
    timesUs: changes.timesUs.subarray(start, end),
    flags,
    users: part(changes.users),
    causes: changes.causes.subarray(firstCause * UUID_WORDS, (firstCause + countCaused(flags)) * UUID_WORDS),
  };
}

/** Number of changes with a cause. */
export function countCaused(flags: Uint8Array): number {
  let count = 0;
  for (let row = 0; row < flags.length; row += 1) if (((flags[row] as number) & changeFlags.caused) !== 0) count += 1;
  return count;
}

function pack(
  rowCount: number,
  column: (name: keyof PropertyChange) => Column,
  readJson?: (text: string) => unknown,
): ChangeColumns {
  const flags = readSystem(rowCount, column("system"));
  return {
    rowCount,
    ids: packIds(rowCount, column("id")),
    featureIds: numbers(column("layer_feature_id")),
    keys: encode(column("property_key")),
    values: encode(column("new_value"), readJson),
    timesUs: readTimes(rowCount, column("created_at"), flags),
    users: encode(column("user_id")),
    causes: packCauses(rowCount, column("caused_by_change_id"), flags),
    flags,
  };
}

function packIds(rowCount: number, column: Column): Uint32Array {
  const run = column instanceof CellColumn ? column.uuidRun() : undefined;
  if (run) return run;
  const words = new Uint32Array(rowCount * UUID_WORDS);
  for (let row = 0; row < rowCount; row += 1) {
    // In a lenient read, an id may be an invalid UUID.
    if (!packAt(column, row, words, row)) packUuid(String(column.at(row)), words, row * UUID_WORDS);
  }
  return words;
}

function packCauses(rowCount: number, column: Column, flags: Uint8Array): Uint32Array {
  const words = new GrowingArray(Uint32Array, 16);
  appendCauses(words, rowCount, column, flags);
  return words.values.slice(0, words.length);
}

/** Contains only the loop: see `countKinds`. */
function appendCauses(words: GrowingArray<Uint32Array>, rowCount: number, column: Column, flags: Uint8Array): void {
  const cells = column instanceof CellColumn ? column : undefined;
  for (let row = 0; row < rowCount; row += 1) {
    if (cells?.isNull(row)) continue;
    words.reserve(UUID_WORDS);
    if (!packAt(column, row, words.values, words.length / UUID_WORDS)) continue;
    words.length += UUID_WORDS;
    flags[row] = (flags[row] as number) | changeFlags.caused;
  }
}

/** Packs the UUID of a row, and returns whether the row has one. */
function packAt(column: Column, row: number, words: Uint32Array, offset: number): boolean {
  if (column instanceof CellColumn) return column.packUuid(row, words, offset * UUID_WORDS);
  const text = column.at(row);
  if (typeof text !== "string") return false;
  packUuid(text, words, offset * UUID_WORDS);
  return true;
}

function encode(column: Column, readJson?: (text: string) => unknown): CodedColumn {
  if (!(column instanceof CellColumn)) return { codes: Uint32Array.from(column, (_, row) => row), values: [...column] };
  const { codes, values } = column.encode(readJson);
  return { codes: narrow(codes, values.length), values };
}

function narrow(codes: Int32Array, count: number): CodedColumn["codes"] {
  if (count <= 0x100) return new Uint8Array(codes);
  return count <= 0x1_0000 ? new Uint16Array(codes) : new Uint32Array(codes);
}

function numbers(column: Column): Float64Array {
  return (column instanceof CellColumn ? column.numbers() : undefined) ?? Float64Array.from(column, Number);
}

function readSystem(rowCount: number, column: Column): Uint8Array {
  const flags = new Uint8Array(rowCount);
  const cells = column instanceof CellColumn ? column : undefined;
  for (let row = 0; row < rowCount; row += 1) {
    if (cells ? cells.isTrue(row) : column.at(row) === true) flags[row] = changeFlags.system;
  }
  return flags;
}

function readTimes(rowCount: number, column: Column, flags: Uint8Array): Float64Array {
  const zonedUs = column instanceof InstantColumn ? column.zonedUs() : undefined;
  if (zonedUs) return zonedUs;
  const timesUs = new Float64Array(rowCount);
  if (column instanceof InstantColumn && column.isZoned) {
    for (let row = 0; row < rowCount; row += 1) timesUs[row] = column.us(row);
    return timesUs;
  }
  for (let row = 0; row < rowCount; row += 1) {
    const text = column.at(row);
    const instant = typeof text === "string" ? parseInstant(text) : undefined;
    timesUs[row] = instant?.us ?? Number.NaN;
    flags[row] = (flags[row] as number) | timeFlags(instant);
  }
  return timesUs;
}

/** The flags of a parsed time; 0 for an invalid time. */
export function timeFlags(instant: ParsedInstant | undefined): number {
  if (!instant) return 0;
  return (instant.zoned ? 0 : changeFlags.zoneless) + (instant.rolledOver ? changeFlags.rolledOver : 0);
}
