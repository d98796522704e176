import { isDate, isProxy } from "node:util/types";
import { type Option, optionList } from "../../layer/option-labels.js";
import { readName } from "../engine/names/name-sharing.js";
import type { LiveQuestion } from "../threads/thread-messages.js";

/** What a table is to whoever types. */
interface LiveTable {
  readonly columns: readonly string[];
  /** Texts that a column holds, or may hold. */
  valuesOf(column: string): readonly string[];
}

const maxNames = 1000;
/** Of a longer column its first rows tell. */
const maxRows = 20_000;
/** A column of more different texts is none of choices. */
const maxValues = 100;

/**
 * Names of columns, or values, of a table that lives in the session: an Arquero table, a Danfo frame, a layer, a history,
 * or a list of rows. Looks at what values hold and calls nothing: no getter, no trap, no method.
 */
export function liveNames(
  names: Readonly<Record<string, unknown>>,
  { tables, column, key }: LiveQuestion,
): readonly string[] {
  for (const [name = "", ...rest] of tables) {
    let value = readName(names, name)?.value;
    for (const each of rest) value = own(value, each);
    const table = liveTable(value);
    if (!table) continue;
    const valued = column ?? (key !== undefined && table.columns.includes(key) ? key : undefined);
    return valued === undefined ? table.columns.slice(0, maxNames) : table.valuesOf(valued);
  }
  return [];
}

function liveTable(value: unknown): LiveTable | undefined {
  return arqueroTable(value) ?? layer(value) ?? history(value) ?? danfoFrame(value) ?? rows(value);
}

function arqueroTable(value: unknown): LiveTable | undefined {
  const data = own(value, "_data");
  const columns = texts(own(value, "_names"));
  if (!columns || typeof data !== "object") return undefined;
  return { columns, valuesOf: (column) => choices((row) => own(own(data, column), row), lengthOf(own(data, column))) };
}

function layer(value: unknown): LiveTable | undefined {
  const schema = list(own(value, "schema"));
  const table = arqueroTable(own(value, "table"));
  if (!schema || !table) return undefined;
  const hasLabels = own(own(own(value, "input"), "options"), "optionLabels") === true;
  const shown = ({ code, label }: Option) => (hasLabels && label !== undefined ? label : code);
  return {
    columns: table.columns,
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

function history(value: unknown): LiveTable | undefined {
  const columns = texts(own(value, "columns"));
  const isHistory = isDate(own(value, "readAt")) && typeof own(value, "timeZone") === "string";
  return columns && isHistory ? { columns, valuesOf: () => [] } : undefined;
}

function danfoFrame(value: unknown): LiveTable | undefined {
  const columns = texts(own(value, "$columns"));
  const data = own(value, "$data");
  if (!columns) return undefined;
  return {
    columns,
    valuesOf: (column) => choices((row) => own(own(data, row), columns.indexOf(column)), lengthOf(data)),
  };
}

function rows(value: unknown): LiveTable | undefined {
  const first = own(list(value), 0);
  if (typeof first !== "object" || first === null || isProxy(first) || Array.isArray(first)) return undefined;
  const columns = Object.keys(first);
  return { columns, valuesOf: (column) => choices((row) => own(own(value, row), column), lengthOf(value)) };
}

/** The texts of a column, if there are few. */
function choices(at: (row: number) => unknown, length: number): readonly string[] {
  const found = new Set<string>();
  for (let row = 0; row < Math.min(length, maxRows); row++) {
    const value = at(row);
    if (typeof value === "string") found.add(value);
    if (found.size > maxValues) return [];
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
