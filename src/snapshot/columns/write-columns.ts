import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { PropertyChange } from "../../api/resources.js";
import { renamePath } from "../../core/busy-files.js";
import { parseInstant } from "../../core/instant.js";
import { packUuid, UUID_WORDS } from "../../core/uuid.js";
import { canonicalKey } from "../../layer/property-key.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type InstantForm, instantForm, writeInstant } from "../../tables/cells/instant-column.js";
import type { TypeCounts } from "../../tables/column/column.js";
import { geometryFault } from "../../tables/export/sound-geometry.js";
import { changeFlags, timeFlags } from "../../tables/read/change-columns.js";
import { type BaseField, baseFields } from "../../tables/read/feature-columns.js";
import { parquetFiles } from "../database/parquet-files.js";
import { wholeChunks } from "../database/whole-chunks.js";
import type { StoredFile } from "../format/manifest.js";
import type { ColumnFileContent } from "../format/table-schema.js";
import { jsonMembers, jsonText } from "../json/json-text.js";
import { ColumnBuilder, GrowingBytes } from "./column-builder.js";
import {
  type ChangeHeader,
  type ChangeSection,
  type ColumnEntry,
  type ColumnHeader,
  changeSections,
  MAGIC,
  PRELUDE_BYTES,
  padded,
  RECORD_COLUMN,
} from "./column-file.js";

/** Encoding of a column, without its name and position in the file. */
type Encoding = Pick<ColumnEntry, "kind" | "form" | "textBytes">;

/** A column ready for writing. */
interface EncodedColumn {
  readonly encoding: Encoding;
  readonly counts: TypeCounts;
  readonly chunks: readonly Uint8Array[];
  /** Bits of the rows with the member, low bit first; undefined if every row has it. */
  readonly present: Uint8Array | undefined;
}

/** Last microsecond up to which doubles are exact. */
const LAST_US = Number.MAX_SAFE_INTEGER;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The content of a column file. */
interface LaidOutColumns {
  readonly header: object;
  readonly chunks: readonly Uint8Array[];
}

/**
 * Size of a write. A file has a hundred chunks of a few bytes, and copying them together is faster than writing each.
 */
const WRITE_BYTES = 2 ** 20;

/** Consecutive chunks of bytes in a column file, each at a multiple of 8. */
class ChunkSequence {
  readonly chunks: Uint8Array[] = [];
  #end = 0;

  /** Adds consecutive parts, and returns their position. */
  append(parts: readonly Uint8Array[]): { readonly offset: number; readonly bytes: number } {
    const offset = this.#end;
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#end += padded(bytes);
    this.chunks.push(...parts, Buffer.alloc(padded(bytes) - bytes));
    return { offset, bytes };
  }
}

const fields: ReadonlySet<string> = new Set(baseFields);
const GEOMETRY: BaseField = "geometry";

interface Builders {
  readonly fields: Map<string, ColumnBuilder>;
  readonly properties: Map<string, ColumnBuilder>;
}

/**
 * Writes the records of a Parquet file by column, in the form in which layers and histories read them.
 *
 * @param parquet path of the Parquet file
 * @param path of the column file below `root`
 * @param what content of the columns: members of the records and of their `properties`, whole records, or the parts of
 * property changes that a history needs
 */
export async function writeColumns(
  connection: DuckDBConnection,
  parquet: string,
  root: string,
  path: string,
  what: ColumnFileContent,
): Promise<StoredFile> {
  const laidOut =
    what === "changes" ? await layOutChanges(connection, parquet) : await layOut(connection, parquet, what);
  return writeColumnFile(root, path, laidOut);
}

/** Chooses the encoding of a column: the first that restores each of its values. */
function encodeColumn(column: ColumnBuilder): EncodedColumn {
  const counts = column.countTypes();
  return { ...encodeValues(column, counts), counts, present: presentBits(column) };
}

function encodeValues(column: ColumnBuilder, counts: TypeCounts): Pick<EncodedColumn, "encoding" | "chunks"> {
  const { rows } = column;
  const filled = rows - counts.null;
  const codes = column.codes();
  if (counts.number === filled) return { encoding: { kind: "number" }, chunks: [numbers(column, Number)] };
  if (codes && codes.texts.length <= Math.max(16, rows / 4)) return encodeCodes(codes);
  if (counts.string < filled) return { encoding: { kind: "json" }, chunks: offsets(column, (text) => text) };
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
    // A lone surrogate has no UTF-8, so the original escape is kept.
    if (text.includes("\\") && LONE_SURROGATE.test(JSON.parse(text) as string)) {
      return { encoding: { kind: "json" }, chunks: offsets(column, (json) => json) };
    }
  }
  const plain = (text: string) => (text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1));
  return { encoding: { kind: "text" }, chunks: offsets(column, plain) };
}

function numbers(column: ColumnBuilder, read: (text: string) => number): Uint8Array {
  const values = new Float64Array(column.rows);
  for (let row = 0; row < values.length; row += 1) {
    const text = column.text(row);
    values[row] = text === "" ? Number.NaN : read(text);
  }
  return bytesOf(values);
}

/** Positions and strings; each string has one more byte, so that an empty string differs from null. */
function offsets(column: ColumnBuilder, write: (text: string) => string): readonly Uint8Array[] {
  const ends = new Uint32Array(column.rows + 1);
  const texts = new GrowingBytes();
  for (let row = 0; row < column.rows; row += 1) {
    const text = column.text(row);
    if (text !== "") texts.append(`${write(text)}\0`);
    ends[row + 1] = texts.length;
  }
  return [bytesOf(ends), texts.view()];
}

/** Checked once on writing, so that readers need not parse all geometries to find invalid ones. */
function hasSoundGeometries(column: ColumnBuilder): boolean {
  for (let row = 0; row < column.rows; row += 1) {
    const text = column.text(row);
    if (text !== "" && geometryFault(JSON.parse(text))) return false;
  }
  return true;
}

function presentBits(column: ColumnBuilder): Uint8Array | undefined {
  const bits = new Uint8Array(Math.ceil(column.rows / 8));
  let present = 0;
  for (let row = 0; row < column.rows; row += 1) {
    if (!column.has(row)) continue;
    bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7));
    present += 1;
  }
  return present === column.rows ? undefined : bits;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Writes a column file, which is on the disk when the promise resolves.
 *
 * @param path of the file below `root`
 */
async function writeColumnFile(root: string, path: string, { header, chunks }: LaidOutColumns): Promise<StoredFile> {
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  {
    await using file = await open(`${target}.unfinished`, "w");
    for (const chunk of gathered([...begin(header), ...chunks])) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  }
  await renamePath(`${target}.unfinished`, target);
  return { path, bytes, sha256: hash.digest("hex") };
}

/** The same bytes, with small chunks combined. */
function* gathered(chunks: readonly Uint8Array[]): Generator<Uint8Array, void> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (bytes > 0 && bytes + chunk.length > WRITE_BYTES) {
      yield joined(small);
      small = [];
      bytes = 0;
    }
    small.push(chunk);
    bytes += chunk.length;
  }
  yield joined(small);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function begin(header: object): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header));
  const filled = Buffer.alloc(padded(text.length), " ");
  text.copy(filled);
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(filled.length, MAGIC.length);
  return [prelude, filled];
}

async function layOutChanges(connection: DuckDBConnection, parquet: string): Promise<LaidOutColumns> {
  const builder = new ChangeBuilder(await countRecords(connection, parquet));
  await readRecords(connection, parquet, (_, text) => builder.add(JSON.parse(text) as PropertyChange));
  const { rows, undated, sections } = builder.finish();
  const sequence = new ChunkSequence();
  const sectionPlaces = changeSections.map((name) => [name, sequence.append([sections[name]])] as const);
  const header: ChangeHeader = {
    rows,
    undated,
    sections: Object.fromEntries(sectionPlaces) as ChangeHeader["sections"],
  };
  return { header, chunks: sequence.chunks };
}

async function layOut(
  connection: DuckDBConnection,
  parquet: string,
  what: "members" | "records",
): Promise<LaidOutColumns> {
  const builders: Builders = { fields: new Map(), properties: new Map() };
  const rows = await readRecords(connection, parquet, (row, text) => {
    if (what === "members") addMembers(builders, row, text);
    else builder(builders.fields, RECORD_COLUMN).add(row, text);
  });
  const sequence = new ChunkSequence();
  const entryOf = (isProperty: boolean, [name, column]: readonly [string, ColumnBuilder]): ColumnEntry => {
    column.pad(rows);
    const { encoding, counts, chunks, present } = encodeColumn(column);
    const sound =
      !isProperty && name === GEOMETRY && hasSoundGeometries(column) ? { hasSoundGeometries: true as const } : {};
    const entry = { name, isProperty, ...encoding, ...sequence.append(chunks), counts, ...sound };
    return present ? { ...entry, presentOffset: sequence.append([present]).offset } : entry;
  };
  const columns = [
    ...[...builders.fields].map((column) => entryOf(false, column)),
    ...[...builders.properties].map((column) => entryOf(true, column)),
  ];
  const header: ColumnHeader = { rows, columns };
  return { header, chunks: sequence.chunks };
}

async function countRecords(connection: DuckDBConnection, parquet: string): Promise<number> {
  const counted = await connection.run(`SELECT count(*)::DOUBLE FROM ${parquetFiles([parquet])}`);
  const [[rows] = []] = await counted.getRows();
  return Number(rows);
}

async function readRecords(
  connection: DuckDBConnection,
  parquet: string,
  use: (row: number, text: string) => void,
): Promise<number> {
  let row = 0;
  for await (const chunk of wholeChunks(connection, `SELECT record FROM ${parquetFiles([parquet])}`)) {
    for (const text of chunk.getColumnValues(0)) use(row++, String(text));
  }
  return row;
}

function addMembers(builders: Builders, row: number, text: string): void {
  const members = jsonMembers(text);
  for (const { key, valueStart, end } of members) {
    if (fields.has(key)) builder(builders.fields, key).add(row, text.slice(valueStart, end));
  }
  const properties = members.findLast(({ key }) => key === "properties");
  if (!properties || text[properties.valueStart] !== "{") return;
  const nested = text.slice(properties.valueStart, properties.end);
  for (const { key, valueStart, end } of jsonMembers(nested)) {
    builder(builders.properties, key).add(row, nested.slice(valueStart, end));
  }
}

function builder(builders: Map<string, ColumnBuilder>, name: string): ColumnBuilder {
  const existing = builders.get(name);
  if (existing) return existing;
  const column = new ColumnBuilder();
  builders.set(name, column);
  return column;
}

/** JSON strings of values by code, in order of first appearance: equal strings have one code. */
class FormDictionary {
  readonly texts: string[] = [];
  readonly #scalars = new Map<unknown, number>();
  readonly #others = new Map<string, number>();

  code(value: unknown): number {
    // A map does not distinguish -0 from 0.
    const isOther = value === 0 || (typeof value === "object" && value !== null);
    return isOther ? this.#enter(this.#others, jsonText(value), value) : this.#enter(this.#scalars, value, value);
  }

  #enter<K>(codes: Map<K, number>, key: K, value: unknown): number {
    const former = codes.get(key);
    if (former !== undefined) return former;
    const code = this.texts.push(jsonText(value)) - 1;
    codes.set(key, code);
    return code;
  }
}

/** The bytes of each section, and further fields of the header. */
interface BuiltChanges extends Pick<ChangeHeader, "rows" | "undated"> {
  readonly sections: Readonly<Record<ChangeSection, Uint8Array>>;
}

/** Collects property changes into the sections of a column file. */
class ChangeBuilder {
  readonly #features = new GrowingArray(Float64Array);
  readonly #starts = new GrowingArray(Uint32Array);
  readonly #causes = new GrowingArray(Uint32Array);
  readonly #ids: Uint32Array;
  readonly #timesUs: Float64Array;
  readonly #flags: Uint8Array;
  readonly #keys: CodeBuilder;
  readonly #values: CodeBuilder;
  readonly #users: CodeBuilder;
  #rows = 0;
  #undated = 0;

  /** @param rows count of changes to expect */
  constructor(rows: number) {
    this.#ids = new Uint32Array(rows * UUID_WORDS);
    this.#timesUs = new Float64Array(rows);
    this.#flags = new Uint8Array(rows);
    this.#keys = new CodeBuilder(rows);
    this.#values = new CodeBuilder(rows);
    this.#users = new CodeBuilder(rows);
  }

  add(change: PropertyChange): void {
    const row = this.#rows;
    this.#rows += 1;
    if (this.#features.length === 0 || this.#features.at(this.#features.length - 1) !== change.layer_feature_id) {
      this.#features.push(change.layer_feature_id);
      this.#starts.push(row);
    }
    packUuid(change.id, this.#ids, row * UUID_WORDS);
    this.#keys.set(row, canonicalKey(change.property_key));
    this.#values.set(row, change.new_value ?? null);
    this.#users.set(row, change.user_id ?? null);
    const instant = parseInstant(change.created_at);
    if (!instant) this.#undated += 1;
    this.#timesUs[row] = instant?.us ?? Number.NaN;
    this.#flags[row] = timeFlags(instant) + (change.system ? changeFlags.system : 0) + this.#addCause(change);
  }

  /** Can be called once. */
  finish(): BuiltChanges {
    this.#starts.push(this.#rows);
    return {
      rows: this.#rows,
      undated: this.#undated,
      sections: {
        features: bytesOf(filled(this.#features)),
        starts: bytesOf(filled(this.#starts)),
        ids: bytesOf(this.#ids),
        times: bytesOf(this.#timesUs),
        flags: this.#flags,
        causes: bytesOf(filled(this.#causes)),
        keys: this.#keys.codes(),
        keysList: this.#keys.list(),
        values: this.#values.codes(),
        valuesList: this.#values.list(),
        users: this.#users.codes(),
        usersList: this.#users.list(),
      },
    };
  }

  #addCause({ caused_by_change_id }: PropertyChange): number {
    if (typeof caused_by_change_id !== "string") return 0;
    this.#causes.reserve(UUID_WORDS);
    packUuid(caused_by_change_id, this.#causes.values, this.#causes.length);
    this.#causes.length += UUID_WORDS;
    return changeFlags.caused;
  }
}

class CodeBuilder {
  readonly #dictionary = new FormDictionary();
  readonly #codes: Uint32Array;

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  set(row: number, value: unknown): void {
    this.#codes[row] = this.#dictionary.code(value);
  }

  codes(): Uint8Array {
    const { length } = this.#dictionary.texts;
    if (length <= 0x100) return new Uint8Array(this.#codes);
    return bytesOf(length <= 0x1_0000 ? new Uint16Array(this.#codes) : this.#codes);
  }

  list(): Uint8Array {
    return Buffer.from(`[${this.#dictionary.texts.join()}]`);
  }
}

function filled<T extends Float64Array | Uint32Array>({ values, length }: GrowingArray<T>): ArrayBufferView {
  return values.subarray(0, length);
}
