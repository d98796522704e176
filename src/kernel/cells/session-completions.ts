import { isDate, isProxy } from "node:util/types";
import { liveColumns } from "../../history/history-links.js";
import { type Option, optionList } from "../../layer/option-labels.js";
import { quietColumn } from "../../tables/column/column.js";
import { readName } from "../engine/names/name-sharing.js";
import type { CompletionQuery } from "../threads/thread-messages.js";

/** A table as completion reads it. */
interface SessionTable {
  readonly columns: readonly string[];
  /** For a history: the layer columns in its results. */
  readonly ofAnswers?: readonly string[];
  /** Values of string columns. */
  valuesOf(column: string): readonly string[];
}

const maxNames = 1000;
/** Longer columns are sampled from their first rows. */
const maxRows = 20_000;
/** A column with more distinct strings, besides the options in its definition, is not treated as a choice. */
const maxValues = 100;
/** Reading a column stops after this time, with the values found by then. */
const longestReadMs = 20;
const rowsAtOnce = 256;

/**
 * Names of columns, or values, of the tables in the session: Arquero tables, Danfo frames, layers, histories and lists
 * of rows. Reads stored values only, so no getter, proxy trap or method of other code runs.
 */
export function sessionCompletions(
  names: Readonly<Record<string, unknown>>,
  { tables, added = [], isRow = false, column, key }: CompletionQuery,
): readonly string[] {
  const columns = tables.flatMap((path) => tableAt(names, path) ?? []);
  const columnsOf = ({ columns, ofAnswers = columns }: SessionTable) => (isRow ? ofAnswers : columns);
  // A table that the statement itself writes: `aq.table({ … })`, `aq.from([{ … }])`.
  const isWritten = tables.some(([name]) => name === "aq");
  const all = new Set([...columns.flatMap(columnsOf), ...(columns.length > 0 || isWritten ? added : [])]);
  const valued = column ?? (key !== undefined && all.has(key) ? key : undefined);
  if (valued === undefined) return [...all].slice(0, maxNames);
  return columns.find((table) => [...columnsOf(table), ...table.columns].includes(valued))?.valuesOf(valued) ?? [];
}

/** The table at a path. */
function tableAt(
  names: Readonly<Record<string, unknown>>,
  [name = "", ...rest]: readonly string[],
): SessionTable | undefined {
  let value = readName(names, name)?.value;
  /** The layer of a table, which has the choices of columns. */
  let owner: unknown;
  for (const each of rest) [owner, value] = [value, ownValue(value, each)];
  return liveTable(value, owner);
}

function liveTable(value: unknown, owner?: unknown): SessionTable | undefined {
  const ofLayer = ownValue(owner, "table") === value ? layer(owner) : undefined;
  return ofLayer ?? arqueroTable(value) ?? layer(value) ?? history(value) ?? danfoFrame(value) ?? rows(value);
}

function arqueroTable(value: unknown): SessionTable | undefined {
  const data = ownValue(value, "_data");
  const columns = texts(ownValue(value, "_names"));
  if (!columns || typeof data !== "object") return undefined;
  return { columns, valuesOf: (column) => columnTexts(ownValue(data, column)) };
}

function layer(value: unknown): SessionTable | undefined {
  const schema = list(ownValue(value, "schema"));
  const table = arqueroTable(ownValue(value, "table"));
  if (!schema || !table) return undefined;
  const { columns } = table;
  const hasLabels = ownValue(ownValue(ownValue(value, "input"), "options"), "optionLabels") === true;
  const shownName = ({ code, label }: Option) => (hasLabels && label !== undefined ? label : code);
  return {
    columns,
    valuesOf: (column) => {
      const definitions =
        list(
          ownValue(
            schema.find((each) => ownValue(each, "column") === column),
            "definitions",
          ),
        ) ?? [];
      const options = definitions.flatMap((each) => optionList(plain(each) as Parameters<typeof optionList>[0]));
      const offered = options.map(shownName).filter((each) => typeof each === "string");
      return offered.length > 0 ? [...new Set(offered)] : table.valuesOf(column);
    },
  };
}

function history(value: unknown): SessionTable | undefined {
  const properties = texts(ownValue(value, "columns"));
  if (!properties || !isDate(ownValue(value, "readAt")) || typeof ownValue(value, "timeZone") !== "string")
    return undefined;
  const live = liveColumns(value as object);
  // Of another release of Siteframe.
  if (!live) return { columns: properties, valuesOf: () => [] };
  const { leading, trailing } = live.fields;
  return {
    columns: properties,
    ofAnswers: [...leading, ...properties, ...trailing],
    valuesOf: (column) => choices(live.valuesOf(column), maxValues + live.choiceCount(column)),
  };
}

function danfoFrame(value: unknown): SessionTable | undefined {
  const columns = texts(ownValue(value, "$columns"));
  const data = ownValue(value, "$data");
  if (!columns) return undefined;
  return {
    columns,
    valuesOf: (column) =>
      choices(entries((row) => ownValue(ownValue(data, row), columns.indexOf(column)), lengthOf(data))),
  };
}

function rows(value: unknown): SessionTable | undefined {
  const first = ownValue(list(value), 0);
  if (typeof first !== "object" || first === null || isProxy(first) || Array.isArray(first)) return undefined;
  const columns = Object.keys(first);
  return {
    columns,
    valuesOf: (column) => choices(entries((row) => ownValue(ownValue(value, row), column), lengthOf(value))),
  };
}

/** The columns of a list, or of a Siteframe column. */
function columnTexts(column: unknown): readonly string[] {
  const isObject = typeof column === "object" && column !== null && !isProxy(column);
  const quiet = isObject ? quietColumn(column) : undefined;
  if (quiet) return choices(entries((row) => quiet.at(row), quiet.length));
  return choices(entries((row) => ownValue(column, row), lengthOf(column)));
}

function* entries(at: (row: number) => unknown, length: number): Generator<unknown> {
  for (let row = 0; row < length; row++) yield at(row);
}

/** The distinct strings of a column, if there are few. */
function choices(values: Iterable<unknown>, most = maxValues): readonly string[] {
  const names = new Set<string>();
  const start = performance.now();
  let row = 0;
  for (const value of values) {
    if (row === maxRows || (row % rowsAtOnce === 0 && performance.now() - start > longestReadMs)) break;
    row += 1;
    const several = list(value);
    const items = several
      ? Array.from({ length: Math.min(several.length, maxValues) }, (_, at) => ownValue(several, at))
      : [value];
    for (const item of items) if (typeof item === "string") names.add(item);
    if (names.size > most) return [];
  }
  return [...names];
}

/** The stored value of a key; undefined for getters and proxies. */
function ownValue(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null || isProxy(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function list(value: unknown): readonly unknown[] | undefined {
  return !isProxy(value) && Array.isArray(value) ? value : undefined;
}

function lengthOf(value: unknown): number {
  return list(value)?.length ?? 0;
}

function texts(value: unknown): readonly string[] | undefined {
  const length = Math.min(lengthOf(value), maxNames);
  const items = Array.from({ length }, (_, index) => ownValue(value, index));
  return list(value) && items.every((each) => typeof each === "string") ? items : undefined;
}

/** A copy of the plain data in a value. */
function plain(value: unknown, depth = 6): unknown {
  const elements = list(value);
  if (elements)
    return Array.from(elements, (_, index) => (depth > 0 ? plain(ownValue(value, index), depth - 1) : undefined));
  if (typeof value !== "object" || value === null) return value;
  if (isProxy(value) || depth === 0) return undefined;
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(ownValue(value, key), depth - 1)]));
}
