import { setImmediate } from "node:timers/promises";
import { binarySearch } from "../../core/binary-search.js";
import { freeMemory } from "../../core/free-memory.js";
import { UUID_WORDS } from "../../core/uuid.js";
import { type ChangeColumns, type CodedColumn, changeFlags, countCaused } from "../../tables/read/change-columns.js";
import { columnFile, type SnapshotFile, type StoredFile } from "../format/manifest.js";
import {
  type ChangeHeader,
  type ChangeSection,
  type CodedSection,
  type ColumnEntry,
  ColumnFile,
  type ColumnHeader,
  changeSections,
  RECORD_COLUMN,
} from "./column-file.js";
import { StoredColumn } from "./stored-column.js";

const WORD = Uint32Array.BYTES_PER_ELEMENT;
const DOUBLE = Float64Array.BYTES_PER_ELEMENT;
const UUID = UUID_WORDS * WORD;
const allFlags = Object.values(changeFlags).reduce((sum, flag) => sum + flag, 0);

/**
 * The property changes of one part: of the wanted features, and of features between them. Columns are read on access
 * and not kept; their lists of values are kept.
 */
export class StoredChanges implements ChangeColumns {
  readonly rowCount: number;
  /** Count of rows of wanted features. */
  readonly matching: number;
  readonly #file: ColumnFile;
  readonly #header: ChangeHeader;
  readonly #features: Float64Array;
  readonly #starts: Uint32Array;
  readonly #first: number;
  readonly #lists = new Map<CodedSection, readonly unknown[]>();
  readonly #userOf: (user: unknown) => unknown;

  private constructor(file: ColumnFile, header: ChangeHeader, runs: Runs, userOf: (user: unknown) => unknown) {
    this.#file = file;
    this.#header = header;
    this.#features = runs.features;
    this.#starts = runs.starts;
    this.#first = runs.starts[0] as number;
    this.rowCount = (runs.starts.at(-1) as number) - this.#first;
    this.matching = runs.matching;
    this.#userOf = userOf;
  }

  /**
   * Opens a column file of changes.
   *
   * @param rows count in the manifest, with the column file below `root`
   * @param featureIds ids of features, ascending
   * @param userOf returns the pseudonym of a user
   * @returns undefined if the part has no change of these features
   * @throws SnapshotError if it is not a column file with that many changes
   */
  static open(
    root: string,
    rows: number,
    stored: StoredFile,
    featureIds: Float64Array,
    userOf: (user: unknown) => unknown,
  ): StoredChanges | undefined {
    const file = new ColumnFile(root, stored);
    const header = readHeader(file, rows);
    const runs = wantedRuns(readRuns(file, header), featureIds);
    return runs && new StoredChanges(file, header, runs, userOf);
  }

  get ids(): Uint32Array {
    return new Uint32Array(this.#rows("ids", UUID));
  }

  get featureIds(): Float64Array {
    const ids = new Float64Array(this.rowCount);
    for (let run = 0; run < this.#features.length; run += 1) {
      const [start, end] = [this.#starts[run] as number, this.#starts[run + 1] as number];
      ids.fill(this.#features[run] as number, start - this.#first, end - this.#first);
    }
    return ids;
  }

  get timesUs(): Float64Array {
    const timesUs = new Float64Array(this.#rows("times", DOUBLE));
    let undated = 0;
    for (let row = 0; row < timesUs.length; row += 1) {
      const us = timesUs[row] ?? Number.NaN;
      if (Number.isNaN(us)) undated += 1;
      else if (!Number.isInteger(us)) throw this.#file.damaged();
    }
    if (undated > this.#header.undated) throw this.#file.damaged();
    return timesUs;
  }

  get flags(): Uint8Array {
    return this.#allFlags().slice(this.#first, this.#first + this.rowCount);
  }

  get causes(): Uint32Array {
    const flags = this.#allFlags();
    const before = countCaused(flags.subarray(0, this.#first));
    const here = countCaused(flags.subarray(this.#first, this.#first + this.rowCount));
    const { offset } = this.#header.sections.causes;
    return new Uint32Array(this.#file.read(offset + before * UUID, here * UUID).buffer);
  }

  get keys(): CodedColumn {
    return this.#coded("keys");
  }

  get values(): CodedColumn {
    return this.#coded("values");
  }

  get users(): CodedColumn {
    return this.#coded("users");
  }

  forget(column: ArrayBufferView): void {
    freeMemory(column);
  }

  /** The bytes of the rows in a section, in their own memory. */
  #rows(section: ChangeSection, size: number): ArrayBufferLike {
    const { offset } = this.#header.sections[section];
    return this.#file.read(offset + this.#first * size, this.rowCount * size).buffer;
  }

  /** The flags of the whole part, which locate the causes of some rows. */
  #allFlags(): Uint8Array {
    const { flags, causes } = this.#header.sections;
    const all = new Uint8Array(this.#file.read(flags.offset, flags.bytes).buffer);
    if (all.some((flag) => flag > allFlags) || countCaused(all) * UUID !== causes.bytes) throw this.#file.damaged();
    return all;
  }

  #coded(section: CodedSection): CodedColumn {
    const values = this.#list(section);
    const readCodes = () => this.#codes(section, values.length);
    return {
      values,
      get codes() {
        return readCodes();
      },
    };
  }

  #codes(section: CodedSection, count: number): CodedColumn["codes"] {
    const size = this.#header.sections[section].bytes / this.#header.rows;
    const bytes = this.#rows(section, size);
    const codes = size === 1 ? new Uint8Array(bytes) : size === 2 ? new Uint16Array(bytes) : new Uint32Array(bytes);
    for (let row = 0; row < codes.length; row += 1) if ((codes[row] as number) >= count) throw this.#file.damaged();
    return codes;
  }

  #list(section: CodedSection): readonly unknown[] {
    const cached = this.#lists.get(section);
    if (cached) return cached;
    const { offset, bytes } = this.#header.sections[`${section}List`];
    const read = parseList(this.#file, offset, bytes);
    const values = section === "users" ? read.map(this.#userOf) : read;
    this.#lists.set(section, values);
    return values;
  }
}

/**
 * Opens the parts with changes of some features one after the other, so that other tasks run in between.
 *
 * @param ids of the features
 * @param userOf returns the pseudonym of a user
 * @throws SnapshotError if a file is damaged
 */
export async function* openChanges(
  root: string,
  files: readonly SnapshotFile[],
  ids: readonly unknown[],
  userOf: (user: unknown) => unknown,
): AsyncGenerator<StoredChanges, void> {
  const featureIds = Float64Array.from(ids, Number).sort();
  for (const file of files) {
    const changes = StoredChanges.open(root, file.rows, columnFile(file), featureIds, userOf);
    if (changes) yield changes;
    await setImmediate();
  }
}

/** The features of a part, with the first row of each, and the end of the last. */
interface Runs {
  readonly features: Float64Array;
  readonly starts: Uint32Array;
  /** Count of rows of wanted features. */
  readonly matching: number;
}

function readHeader(file: ColumnFile, rows: number): ChangeHeader {
  try {
    const header = file.header as ChangeHeader;
    const { sections } = header;
    const areThere = changeSections.every((name) => isWithin(sections[name], file.bytes));
    const isWhole = areThere && header.rows === rows && Number.isSafeInteger(header.undated) && hasRows(header);
    if (!isWhole) throw file.damaged();
    return header;
  } catch (cause) {
    throw file.damaged(cause);
  }
}

function isWithin({ offset, bytes }: { readonly offset: number; readonly bytes: number }, end: number): boolean {
  return [offset, bytes].every((value) => Number.isSafeInteger(value) && value >= 0) && offset + bytes <= end;
}

/** Whether each section has the length for its rows. */
function hasRows({ rows, sections }: ChangeHeader): boolean {
  const sizes = [1, 2, WORD];
  const isCoded = (name: CodedSection) => sizes.some((size) => sections[name].bytes === rows * size);
  return (
    sections.ids.bytes === rows * UUID &&
    sections.times.bytes === rows * DOUBLE &&
    sections.flags.bytes === rows &&
    sections.causes.bytes % UUID === 0 &&
    sections.starts.bytes === (sections.features.bytes / DOUBLE + 1) * WORD &&
    isCoded("keys") &&
    isCoded("values") &&
    isCoded("users")
  );
}

function readRuns(file: ColumnFile, { rows, sections }: ChangeHeader): Omit<Runs, "matching"> {
  const features = new Float64Array(file.read(sections.features.offset, sections.features.bytes).buffer);
  const starts = new Uint32Array(file.read(sections.starts.offset, sections.starts.bytes).buffer);
  const isAscending = starts.every((start, run) => run === 0 || start > (starts[run - 1] as number));
  if (!isAscending || starts[0] !== 0 || starts.at(-1) !== rows) throw file.damaged();
  return { features, starts };
}

/** The runs from the first to the last wanted feature; undefined without wanted features. */
function wantedRuns({ features, starts }: Omit<Runs, "matching">, ids: Float64Array): Runs | undefined {
  let first = features.length;
  let end = 0;
  let matching = 0;
  for (let run = 0; run < features.length; run += 1) {
    const id = features[run] as number;
    if (ids[binarySearch(ids.length, (index) => (ids[index] as number) < id)] !== id) continue;
    first = Math.min(first, run);
    end = run + 1;
    matching += (starts[end] as number) - (starts[run] as number);
  }
  if (end === 0) return undefined;
  return { features: features.subarray(first, end), starts: starts.subarray(first, end + 1), matching };
}

function parseList(file: ColumnFile, offset: number, bytes: number): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(file.read(offset, bytes).toString());
    if (Array.isArray(list)) return list;
  } catch (cause) {
    throw file.damaged(cause);
  }
  throw file.damaged();
}

/** The columns of one part of a table. Only the header is read before the first value. */
export class StoredPart {
  readonly rows: number;
  readonly fields: ReadonlyMap<string, StoredColumn>;
  /** Columns of the members of `properties`, in order of first appearance. */
  readonly properties: ReadonlyMap<string, StoredColumn>;

  private constructor(rows: number, columns: readonly StoredColumn[]) {
    const named = (isProperty: boolean) =>
      new Map(
        columns.flatMap((column) => (column.entry.isProperty === isProperty ? [[column.entry.name, column]] : [])),
      );
    this.rows = rows;
    this.fields = named(false);
    this.properties = named(true);
  }

  /**
   * Opens a column file.
   *
   * @param rows count in the manifest, with the column file below `root`
   * @throws SnapshotError if it is not a column file with that many rows
   */
  static open(root: string, rows: number, stored: StoredFile): StoredPart {
    const file = new ColumnFile(root, stored);
    const read = (offset: number, bytes: number) => file.read(offset, bytes);
    const damaged = (cause: unknown) => file.damaged(cause);
    return new StoredPart(
      rows,
      columnsOf(file, rows).map((entry) => new StoredColumn(entry, rows, read, damaged)),
    );
  }
}

function columnsOf(file: ColumnFile, rows: number): readonly ColumnEntry[] {
  try {
    const header = file.header as ColumnHeader;
    if (header.rows !== rows || !header.columns.every((entry) => isEntry(entry, file.bytes))) throw file.damaged();
    return header.columns;
  } catch (cause) {
    throw file.damaged(cause);
  }
}

/** Whether a column is within its file's bytes for columns. */
function isEntry({ name, offset, bytes, presentOffset = 0, counts }: ColumnEntry, end: number): boolean {
  const isPlace = (position: number) => Number.isInteger(position) && position >= 0 && position <= end;
  return (
    typeof name === "string" && typeof counts === "object" && [offset, offset + bytes, presentOffset].every(isPlace)
  );
}

/** Opens the column files of parts. */
export function openParts(root: string, files: readonly SnapshotFile[]): readonly StoredPart[] {
  return files.map((file) => StoredPart.open(root, file.rows, columnFile(file)));
}

/** The records of a part that stores whole records. */
export function storedRecords({ rows, fields }: StoredPart): readonly Record<string, unknown>[] {
  const column = fields.get(RECORD_COLUMN);
  return Array.from({ length: rows }, (_, row) => column?.at(row) as Record<string, unknown>);
}
