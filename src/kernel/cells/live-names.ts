import { isDate, isProxy } from "node:util/types";
import { liveColumns } from "../../history/live-columns.js";
import { leadingFields } from "../../layer/layer-data.js";
import { type Option, optionList } from "../../layer/option-labels.js";
import { quietColumn } from "../../tables/column/column.js";
import { readName } from "../engine/names/name-sharing.js";
import type { LivePath, LiveQuestion } from "../threads/thread-messages.js";
import { afterCall, type LiveTable, writtenTable } from "./verb-columns.js";

const maxNames = 1000;
/** Of a longer column its first rows tell. */
const maxRows = 20_000;
/** A column of more different texts, besides those that its definition lists, is none of choices. */
const maxValues = 100;
/** A column that takes longer to read tells what it has told by then. */
const longestReadMs = 20;
const rowsAtOnce = 256;

/**
 * Names of columns, or values, of a table that lives in the session: an Arquero table, a Danfo frame, a layer, a history,
 * or a list of rows; or of what verbs make of one, as they are written. Looks at what values hold and calls nothing of
 * anybody else's: no getter, no trap, no method.
 */
export function liveNames(
  names: Readonly<Record<string, unknown>>,
  { tables, column, key }: LiveQuestion,
): readonly string[] {
  for (const path of tables) {
    const table = tableAt(names, path);
    if (!table) continue;
    const valued = column ?? (key !== undefined && table.columns.includes(key) ? key : undefined);
    return valued === undefined ? table.columns.slice(0, maxNames) : table.valuesOf(valued);
  }
  return [];
}

type Names = Readonly<Record<string, unknown>>;

/** The table that a path leads to, or that calls on its way will make. */
function tableAt(names: Names, [name, ...rest]: LivePath): LiveTable | undefined {
  const find = (path: LivePath) => tableAt(names, path);
  let value = typeof name === "string" ? readName(names, name)?.value : undefined;
  /** The layer of a table, which knows the choices of columns. */
  let owner: unknown;
  let made: LiveTable | undefined;
  for (const each of rest) {
    if (typeof each === "object") {
      const before = made ?? liveTable(value, owner);
      made = before ? afterCall(before, each, find) : writtenTable(each, find);
      if (!made) return undefined;
    } else if (made === undefined) [owner, value] = [value, own(value, each)];
    // A layer that a call makes has a table.
    else if (each !== "table") return undefined;
  }
  return made ?? liveTable(value, owner);
}

function liveTable(value: unknown, owner?: unknown): LiveTable | undefined {
  const ofLayer = own(owner, "table") === value ? layer(owner) : undefined;
  return ofLayer ?? arqueroTable(value) ?? layer(value) ?? history(value) ?? danfoFrame(value) ?? rows(value);
}

function arqueroTable(value: unknown): LiveTable | undefined {
  const data = own(value, "_data");
  const columns = texts(own(value, "_names"));
  if (!columns || typeof data !== "object") return undefined;
  return { columns, valuesOf: (column) => columnTexts(own(data, column)) };
}

function layer(value: unknown): LiveTable | undefined {
  const schema = list(own(value, "schema"));
  const table = arqueroTable(own(value, "table"));
  if (!schema || !table) return undefined;
  const { columns } = table;
  const hasLabels = own(own(own(value, "input"), "options"), "optionLabels") === true;
  const shown = ({ code, label }: Option) => (hasLabels && label !== undefined ? label : code);
  return {
    columns,
    features: featureColumns(schema, columns, texts(own(value, "added")) ?? []),
    valuesOf: (column) => {
      const definitions =
        list(
          own(
            schema.find((each) => own(each, "column") === column),
            "definitions",
          ),
        ) ?? [];
      const options = definitions.flatMap((each) => optionList(plain(each) as Parameters<typeof optionList>[0]));
      const offered = options.map(shown).filter((each) => typeof each === "string");
      return offered.length > 0 ? [...new Set(offered)] : table.valuesOf(column);
    },
  };
}

/**
 * The columns that tables of a layer's history have.
 *
 * @param added what the layer has besides those of its features, and its history does not show
 */
function featureColumns(
  schema: readonly unknown[],
  columns: readonly string[],
  added: readonly string[],
): NonNullable<LiveTable["features"]> {
  const left = columns.filter((name) => !added.includes(name));
  const fields = new Set(schema.flatMap((each) => (own(each, "source") === "base" ? [own(each, "column")] : [])));
  return {
    columns: left,
    properties: left.filter((name) => !fields.has(name)),
    leading: leadingFields.filter((name) => fields.has(name) && left.includes(name)),
  };
}

function history(value: unknown): LiveTable | undefined {
  const properties = texts(own(value, "columns"));
  if (!properties || !isDate(own(value, "readAt")) || typeof own(value, "timeZone") !== "string") return undefined;
  const live = liveColumns(value as object);
  // Of another release of Siteframe.
  if (!live) return { columns: properties, valuesOf: () => [] };
  const { leading, trailing } = live.fields;
  return {
    columns: properties,
    features: { columns: [...leading, ...properties, ...trailing], properties, leading },
    valuesOf: (column) => choices(live.valuesOf(column), maxValues + live.choiceCount(column)),
  };
}

function danfoFrame(value: unknown): LiveTable | undefined {
  const columns = texts(own(value, "$columns"));
  const data = own(value, "$data");
  if (!columns) return undefined;
  return {
    columns,
    valuesOf: (column) => choices(entries((row) => own(own(data, row), columns.indexOf(column)), lengthOf(data))),
  };
}

function rows(value: unknown): LiveTable | undefined {
  const first = own(list(value), 0);
  if (typeof first !== "object" || first === null || isProxy(first) || Array.isArray(first)) return undefined;
  const columns = Object.keys(first);
  return { columns, valuesOf: (column) => choices(entries((row) => own(own(value, row), column), lengthOf(value))) };
}

/** Those of a list, or of a column of ours. */
function columnTexts(column: unknown): readonly string[] {
  const isObject = typeof column === "object" && column !== null && !isProxy(column);
  const quiet = isObject ? quietColumn(column) : undefined;
  if (quiet) return choices(entries((row) => quiet.at(row), quiet.length));
  return choices(entries((row) => own(column, row), lengthOf(column)));
}

function* entries(at: (row: number) => unknown, length: number): Generator<unknown> {
  for (let row = 0; row < length; row++) yield at(row);
}

/** The texts of a column, if there are few. */
function choices(values: Iterable<unknown>, most = maxValues): readonly string[] {
  const found = new Set<string>();
  const start = performance.now();
  let row = 0;
  for (const value of values) {
    if (row === maxRows || (row % rowsAtOnce === 0 && performance.now() - start > longestReadMs)) break;
    row += 1;
    const several = list(value);
    const items = several
      ? Array.from({ length: Math.min(several.length, maxValues) }, (_, at) => own(several, at))
      : [value];
    for (const item of items) if (typeof item === "string") found.add(item);
    if (found.size > most) return [];
  }
  return [...found];
}

/** What a value holds under a key, unless a getter or a trap would have to say. */
function own(value: unknown, key: PropertyKey): unknown {
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
  const found = Array.from({ length }, (_, index) => own(value, index));
  return list(value) && found.every((each) => typeof each === "string") ? found : undefined;
}

/** A copy of what a value holds, as far as it is plain. */
function plain(value: unknown, depth = 6): unknown {
  const elements = list(value);
  if (elements)
    return Array.from(elements, (_, index) => (depth > 0 ? plain(own(value, index), depth - 1) : undefined));
  if (typeof value !== "object" || value === null) return value;
  if (isProxy(value) || depth === 0) return undefined;
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(own(value, key), depth - 1)]));
}
