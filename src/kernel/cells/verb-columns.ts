import type { LiveArgument, LiveCall, LivePath } from "../threads/thread-messages.js";

/** What a table is to whoever types. */
export interface LiveTable {
  readonly columns: readonly string[];
  /** Columns that it is grouped by. */
  readonly groups?: readonly string[];
  /** Of a layer and a history: the columns of a layer, its properties among them, and those that stand before these. */
  readonly features?: {
    readonly columns: readonly string[];
    readonly properties: readonly string[];
    readonly leading: readonly string[];
  };
  /** Texts that a column holds, or may hold. */
  valuesOf(column: string): readonly string[];
}

/** Finds the table that a path leads to. */
type FindTable = (path: LivePath) => LiveTable | undefined;

/** What a verb makes of a table, as far as its arguments are written; undefined if nobody can know. */
type Verb = (table: LiveTable, given: readonly LiveArgument[], find: FindTable) => LiveTable | undefined;

const none = () => [];

/** A table whose columns have the values of others, by the names that these have there. */
function renamed(
  { valuesOf, groups = [] }: LiveTable,
  names: readonly (readonly [was: string, is: string])[],
): LiveTable {
  const was = new Map(names.map(([from, to]) => [to, from]));
  return {
    columns: [...was.keys()],
    groups: groups.filter((name) => was.has(name)),
    valuesOf: (column) => valuesOf(was.get(column) ?? column),
  };
}

/**
 * A table with other columns; the values of those that it had stay.
 *
 * @param had which it had
 */
function withColumns(table: LiveTable, columns: readonly string[], had = table.columns): LiveTable {
  const known = new Set(had);
  return {
    columns: [...new Set(columns)],
    valuesOf: (column) => (known.has(column) ? table.valuesOf(column) : []),
  };
}

const more: Verb = (table, given) => {
  const added = given.flatMap(namesOf).filter((name) => !table.columns.includes(name));
  const { features, groups = [] } = table;
  // What a layer is given, its history does not have.
  const kept = features ? { features } : {};
  return { ...withColumns(table, [...table.columns, ...added]), ...kept, groups };
};

const select: Verb = (table, given) => {
  const chosen = given.map((each) => selection(table, each));
  return renamed(
    table,
    chosen.flatMap((each) => each ?? table.columns.map((name) => [name, name] as const)),
  );
};

const rename: Verb = (table, given) => {
  const names = new Map(given.flatMap((each) => selection(table, each) ?? []));
  return renamed(
    table,
    table.columns.map((name) => [name, names.get(name) ?? name]),
  );
};

/** One row a group. */
const groupRows = (table: LiveTable, names: readonly string[]) =>
  withColumns(table, [...(table.groups ?? []), ...names]);

const joined: Verb = (table, given, find) => {
  const [other, on, values, options] = given;
  const right = found(other, find);
  if (!right) return undefined;
  const [ofLeft, ofRight] = values && "items" in values ? values.items : [];
  const merged = ofLeft ? new Set<string>() : given.length > 1 && !isNone(on) ? sharedKeys(on) : new Set(right.columns);
  const left = ofLeft ? select(table, [ofLeft], find) : table;
  const more = ofLeft ? select(right, ofRight ? [ofRight] : [], find) : right;
  if (!left || !more) return undefined;
  const isTwice = (name: string) => left.columns.includes(name) && more.columns.includes(name) && !merged.has(name);
  const [first = "_1", second = "_2"] = namesOf(entry(options, "suffix"));
  const side = (one: LiveTable, suffix: string) =>
    renamed(
      one,
      one.columns.map((name) => [name, isTwice(name) ? `${name}${suffix}` : name]),
    );
  return both(side(left, first), side(more, second));
};

/** The keys that both tables call alike, which are one column of a join: of one name, or of those of each table. */
function sharedKeys(on: LiveArgument): ReadonlySet<string> {
  const [left, right = left] = on && "items" in on ? on.items : [on];
  const others = namesOf(right);
  return new Set(namesOf(left).filter((name, place) => name === others[place]));
}

/** Whether an argument is left out by a word. */
function isNone(given: LiveArgument): boolean {
  return ["null", "undefined"].includes(String(pathOf(given) ?? ""));
}

/** What is left of a table that gives columns away. */
const without = (table: LiveTable, gone: readonly string[], added: readonly string[]) =>
  withColumns(table, [...table.columns.filter((name) => !gone.includes(name)), ...added]);

function both(left: LiveTable, right: LiveTable): LiveTable {
  return {
    columns: [...new Set([...left.columns, ...right.columns])],
    valuesOf: (column) => (left.columns.includes(column) ? left : right).valuesOf(column),
  };
}

/** The layer of a history at a time, with the properties that options choose. */
function ofFeatures(table: LiveTable, [, options]: readonly LiveArgument[]): LiveTable {
  const columns = table.features?.columns ?? table.columns;
  const properties: readonly string[] = table.features?.properties ?? [];
  const chosen = new Set(chosenColumns(properties, options));
  const left = columns.filter((name) => !properties.includes(name) || chosen.has(name));
  return withColumns(table, left, columns);
}

/** Those that the option `columns` names, as far as it is written. */
function chosenColumns(all: readonly string[], options: LiveArgument): readonly string[] {
  const chosen = entry(options, "columns");
  return chosen && !("path" in chosen) ? namesOf(chosen) : all;
}

const verbs: Readonly<Record<string, Verb>> = {
  select,
  rename,
  derive: more,
  // Of a layer: `layer.follow("Module type", models, ["Rated power"])`.
  follow: (table, given, find) => more(table, given.slice(2), find),
  groupby: (table, given) => ({ ...table, groups: given.flatMap(namesOf) }),
  rollup: (table, given) => groupRows(table, given.flatMap(namesOf)),
  count: (table, [options]) => groupRows(table, [textOf(entry(options, "as")) ?? "count"]),
  fold(table, [folded, options]) {
    const chosen = new Set(selection(table, folded)?.map(([name]) => name));
    const [key = "key", value = "value"] = namesOf(entry(options, "as"));
    const left = withColumns(table, [...table.columns.filter((name) => !chosen.has(name)), key, value]);
    return { ...left, valuesOf: (column) => (column === key ? [...chosen] : left.valuesOf(column)) };
  },
  pivot: (table, [keys]) =>
    groupRows(
      table,
      namesOf(keys).flatMap((name) => table.valuesOf(name)),
    ),
  spread(table, [spread, options]) {
    const stays = pathOf(entry(options, "drop")) === "false";
    const names = selection(table, spread)?.map(([name]) => name);
    return names && without(table, stays ? [] : names, namesOf(entry(options, "as")));
  },
  unroll(table, [, options]) {
    const index = entry(options, "index");
    const place = textOf(index) ?? (pathOf(index) === "true" ? "index" : undefined);
    return without(table, namesOf(entry(options, "drop")), place === undefined ? [] : [place]);
  },
  join: joined,
  join_left: joined,
  join_right: joined,
  join_full: joined,
  cross: (table, [other, ...given], find) => joined(table, [other, { items: [] }, ...given], find),
  lookup(table, [other, , ...values], find) {
    const right = found(other, find);
    const names = values.flatMap(namesOf);
    return right && both(table, values.length === 0 ? right : withColumns(right, names));
  },
  assign(table, [other], find) {
    const right = found(other, find);
    return right && both(right, table);
  },
  asOf: ofFeatures,
  layerAt: ofFeatures,
  panel(table, [, options]) {
    const { leading, properties } = table.features ?? { leading: [], properties: table.columns };
    return withColumns(table, ["date", ...leading, ...chosenColumns(properties, options)], table.features?.columns);
  },
  counts(table, [column, , options]) {
    const name = textOf(column);
    const by = textOf(entry(options, "by"));
    const counted = withColumns(table, ["date", ...(by === undefined ? [] : [by]), "state", "value", "count"]);
    const valuesOf = (one: string) =>
      one === "value" && name !== undefined ? table.valuesOf(name) : counted.valuesOf(one);
    return { ...counted, valuesOf };
  },
};

/** What a call makes of a table; undefined if nobody can know. */
export function afterCall(table: LiveTable, { call, given }: LiveCall, find: FindTable): LiveTable | undefined {
  return Object.hasOwn(verbs, call) ? verbs[call]?.(table, given, find) : undefined;
}

/** A table that is written: `aq.table({ site: […] })`, `aq.from([{ site: "North" }])`. */
export function writtenTable({ call, given: [first] }: LiveCall, find: FindTable): LiveTable | undefined {
  if (call === "table" && first && "entries" in first) {
    const values = new Map(first.entries);
    return { columns: [...values.keys()], valuesOf: (column) => [...new Set(namesOf(values.get(column)))] };
  }
  if (call !== "from") return undefined;
  const [row] = first && "items" in first ? first.items : [];
  return row && "entries" in row ? { columns: namesOf(row), valuesOf: none } : found(first, find);
}

function found(given: LiveArgument, find: FindTable): LiveTable | undefined {
  return given && "path" in given ? find(given.path) : undefined;
}

/** The names that an argument gives: a text, texts, or the keys of an object. */
function namesOf(given: LiveArgument): readonly string[] {
  if (given === undefined || "path" in given) return [];
  if ("text" in given) return [given.text];
  return "items" in given ? given.items.flatMap(namesOf) : given.entries.map(([key]) => key);
}

/** A name that is given, or a word such as `true`. */
function pathOf(given: LiveArgument): LivePath[number] | undefined {
  return given && "path" in given && given.path.length === 1 ? given.path[0] : undefined;
}

function textOf(given: LiveArgument): string | undefined {
  return given && "text" in given ? given.text : undefined;
}

function entry(given: LiveArgument, key: string): LiveArgument {
  return given && "entries" in given ? given.entries.find(([each]) => each === key)?.[1] : undefined;
}

/** The columns that an argument selects, with the names that they get; undefined if nobody can know. */
function selection(table: LiveTable, given: LiveArgument): readonly (readonly [was: string, is: string])[] | undefined {
  if (given === undefined) return undefined;
  if ("text" in given) return [[given.text, given.text]];
  if ("entries" in given) return given.entries.map(([was, is]) => [was, textOf(is) ?? was]);
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  if ("items" in given) {
    const each = given.items.map((one) => selection(table, one));
    return each.includes(undefined) ? undefined : each.flatMap((one) => one ?? []);
  }
  const helper = given.path.at(-1);
  if (typeof helper !== "object") return undefined;
  if (helper.call === "all") return same(table.columns);
  const [first, second] = helper.given.map(textOf);
  if (helper.call === "startswith") return same(table.columns.filter((name) => name.startsWith(first ?? "")));
  if (helper.call === "endswith") return same(table.columns.filter((name) => name.endsWith(first ?? "")));
  if (helper.call === "range") {
    const [from, to] = [table.columns.indexOf(first ?? ""), table.columns.indexOf(second ?? "")];
    return from < 0 || to < 0 ? undefined : same(table.columns.slice(Math.min(from, to), Math.max(from, to) + 1));
  }
  if (helper.call !== "not") return undefined;
  const left = selection(table, { items: helper.given });
  const gone = new Set(left?.map(([name]) => name));
  return left && same(table.columns.filter((name) => !gone.has(name)));
}
