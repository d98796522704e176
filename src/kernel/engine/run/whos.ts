import { isMap, isProxy, isSet, isTypedArray } from "node:util/types";
import { formatCount } from "../../../core/format/format-number.js";
import { provenanceOf } from "../../../core/provenance.js";
import { readSafely } from "../../../core/show-value.js";
import { renderTable } from "../../../tables/display/html/render-table.js";
import { arqueroView, danfoView, type TableView } from "../../../tables/display/html/table-view.js";
import { displaySymbol } from "../../../tables/display/mime-bundle.js";
import { readName, userNames } from "../names/name-sharing.js";

/** A variable of the session. */
interface Variable {
  readonly name: string;
  /** Its class, or the type of a primitive value. */
  readonly type: string;
  /** Rows × columns of a table, or the number of entries of a collection. */
  readonly size: string;
  /** Estimated bytes; null if unknown. */
  readonly bytes: number | null;
  /** When its data was read; null if it has no origin. */
  readonly read_at: Date | null;
}

/** The variables of the session by name, which are displayed as a table. No value is copied, and only some entries are read. */
export function listVariables(names: Readonly<Record<string, unknown>>): readonly Variable[] {
  const variables = [...userNames(names)].sort().flatMap((name) => {
    const read = readName(names, name);
    return read ? [describe(name, read.value)] : [];
  });
  Object.defineProperty(variables, displaySymbol, { value: () => renderTable(viewOf(variables), variables.length) });
  return variables;
}

function viewOf(variables: readonly Variable[]): TableView {
  const column = (name: keyof Variable, type: string) => {
    return { name, type, at: (row: number) => (variables[row] as Variable)[name] };
  };
  return {
    rowCount: variables.length,
    columns: [
      column("name", "string"),
      column("type", "string"),
      column("size", "string"),
      column("bytes", "number"),
      column("read_at", "date"),
    ],
  };
}

function describe(name: string, value: unknown): Variable {
  const table = readSafely(() => tableOf(value), undefined);
  return {
    name,
    type: typeName(value),
    size: table
      ? `${formatCount(table.rowCount)} × ${formatCount(table.columns.length)}`
      : readSafely(() => entryCount(value), ""),
    bytes: readSafely(() => (table ? tableBytes(table) : bytesOf(value)), null),
    read_at: readSafely(() => provenanceOf(value)?.readAt ?? null, null),
  };
}

/** A table, a frame, or the table of a layer. */
function tableOf(value: unknown): TableView | undefined {
  if (typeof value !== "object" || value === null || isProxy(value)) return undefined;
  const table = arqueroView(value) ?? danfoView(value);
  return table ?? (provenanceOf(value) && "table" in value ? arqueroView(value.table) : undefined);
}

/** Runs no code of the user: a class is named by data properties only. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "function")
    return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
  if (typeof value !== "object") return typeof value;
  if (isProxy(value)) return "Proxy";
  for (let prototype: unknown = value; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const made: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    if (typeof made === "function" && typeof made.name === "string" && made.name !== "") return made.name;
  }
  return "object";
}

function entryCount(value: unknown): string {
  if (typeof value === "string") return `${formatCount(value.length)} characters`;
  if (typeof value !== "object" || value === null || isProxy(value)) return "";
  if (Array.isArray(value) || isTypedArray(value)) return formatCount(value.length);
  if (provenanceOf(value) && "length" in value) return `${formatCount(Number(value.length))} changes`;
  return isMap(value) || isSet(value) ? formatCount(value.size) : "";
}

/** Entries that are read of a collection; the others are assumed to be as large. */
const SAMPLE = 100;
const MOST_LEVELS = 4;

function tableBytes({ rowCount, columns }: TableView): number {
  return columns.reduce((sum, { at }) => sum + sampledBytes(rowCount, at, 1), 0);
}

function sampledBytes(count: number, at: (index: number) => unknown, level: number): number {
  const sampled = Math.min(count, SAMPLE);
  let bytes = 0;
  for (let index = 0; index < sampled; index++) {
    bytes += 8 + (bytesOf(at(Math.floor((index * count) / sampled)), level) ?? 0);
  }
  return sampled === 0 ? 0 : Math.round((bytes * count) / sampled);
}

/** Estimated bytes of a value without its place in a collection; null if unknown. */
function bytesOf(value: unknown, level = 0): number | null {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (isProxy(value) || level > MOST_LEVELS) return null;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (Array.isArray(value)) return sampledBytes(value.length, (index) => value[index], level + 1);
  if (isMap(value) || isSet(value)) {
    const first = [...firstOf(value)];
    const bytes = sampledBytes(first.length, (index) => first[index], level + 1);
    return first.length === 0 ? 0 : Math.round((bytes * value.size) / first.length);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value instanceof Date ? 8 : null;
  const members = Object.values(Object.getOwnPropertyDescriptors(value));
  return sampledBytes(members.length, (index) => members[index]?.value, level + 1);
}

function* firstOf(entries: Iterable<unknown>): Generator<unknown, void, undefined> {
  let count = 0;
  for (const entry of entries) {
    if (count === SAMPLE) return;
    count += 1;
    yield entry;
  }
}
