import type { Dataset, PropertyDefinition } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import { allIntervalsStatement } from "../../history/questions/intervals.js";
import { shownValue, type ValueKind } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { leadingFields, trailingFields } from "../../layer/layer-data.js";
import { layoutKeys } from "../../layer/layout-keys.js";
import { type NamedColumn, nameColumns, propertyType } from "../../layer/name-columns.js";
import { orderColumns } from "../../layer/order-columns.js";
import { keyResolver, type PropertyKey } from "../../layer/property-key.js";
import { asLoggedName } from "../../tables/export/export-table.js";
import { baseFields } from "../../tables/read/feature-columns.js";
import { quotedName, type SqlColumnSource, type SqlRename, sqlNames } from "../../tables/sql/sql-names.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import { type DefinitionKind, definitionKind } from "../../tables/types/declared-type.js";
import { EXAMPLES, mismatchFinding } from "../../tables/types/type-mismatches.js";
import type { Database } from "../database/database.js";
import { whereMayHoldFeatures } from "../database/feature-datasets.js";
import { storedKey } from "../write/encode-record.js";
import { once } from "./once.js";
import type { OpenPast } from "./type-past.js";
import type { NamedRelation } from "./view-names.js";

/** What to know of a view. */
interface MadeView {
  /** The columns that have other names in it. */
  readonly renamed: readonly SqlRename[];
  /** Of values that are null in it, since they are not of their definition's type. */
  readonly findings: readonly Finding[];
  /** The view with columns of values as they were logged; undefined if it has no such values. */
  readonly asLogged?: { readonly statement: string; readonly renamed: readonly SqlRename[] };
}

/** Views of a database that queries name. To make one, all records of its type are looked through, so each is made once. */
export class SemanticViews {
  readonly #made = new Map<string, Promise<MadeView>>();
  /** Views of intervals that were listed before a query named them: they have the columns, and no rows. */
  readonly #listed = new Map<string, Promise<MadeView>>();

  /**
   * Makes the view of a relation, unless it is there.
   *
   * @returns what to know of it
   */
  async make(database: Database, relation: NamedRelation, openPast: OpenPast): Promise<MadeView> {
    const { type, kind, name, isOnlyListed } = relation;
    if (kind !== "history") return once(this.#made, name, () => createView(database, type, name));
    // What a type's past is made of takes all of its features: for a list its columns do, which are those of every type.
    if (isOnlyListed && !this.#made.has(name)) {
      return once(this.#listed, name, () => createHistory(database, name, emptyHistory()));
    }
    return once(this.#made, name, async () => {
      const past = await openPast(type, false);
      await this.#listed.get(name)?.catch(() => undefined);
      return createHistory(database, name, past.history());
    });
  }
}

/**
 * Values that are null in a view, since they are not of their definition's type. Features are looked through once, and not at
 * all if every value is of the JSON type of its definition.
 *
 * @param rows the features of the view, with `properties`
 * @returns findings by column
 */
async function viewMismatches(
  database: Database,
  rows: string,
  properties: readonly (PropertyExpression & { readonly column: NamedColumn })[],
): Promise<ReadonlyMap<string, Finding>> {
  const doubtful = properties.filter(({ isDoubtful }) => isDoubtful);
  if (doubtful.length === 0) return new Map();
  const keys = doubtful.flatMap(({ column, kind }, place) => {
    return column.keys.map(({ key }) => ({ key: storedKey(key), place: String(place), kind }));
  });
  const kinds = [...new Set(doubtful.map(({ kind }) => kind))];
  const shown = kinds.map((kind) => `(kind = '${kind}' AND ${shownValue(duckdbDialect, kind, "v")} IS NULL)`);
  // Of two keys in one column a feature has the same value.
  const found = await database.rows(
    `SELECT place, sum(n)::DOUBLE, to_json(min(v, ${EXAMPLES}))::VARCHAR FROM (
       SELECT place, v, count(DISTINCT id) AS n FROM ${storedValues(rows)}
       JOIN (SELECT unnest(?::VARCHAR[]) AS k, unnest(?::VARCHAR[]) AS place, unnest(?::VARCHAR[]) AS kind) USING (k)
       WHERE ${shown.join(" OR ")} GROUP BY place, v) GROUP BY place`,
    [keys.map(({ key }) => key), keys.map(({ place }) => place), keys.map(({ kind }) => kind)],
  );
  const byPlace = new Map(found.map(([place, ...counted]) => [String(place), counted]));
  const findings = doubtful.flatMap(({ column }, index) => {
    const [count, texts] = byPlace.get(String(index)) ?? [];
    if (count === undefined) return [];
    const examples = (JSON.parse(String(texts)) as string[]).map((text) => JSON.parse(text) as unknown);
    const { key, type } = propertyType(column);
    return [[column.column, mismatchFinding(column.column, key, type, { count: Number(count), examples })] as const];
  });
  return new Map(findings);
}

async function createHistory(database: Database, view: string, statement: string): Promise<MadeView> {
  await database.run(`CREATE OR REPLACE VIEW ${quotedName(view)} AS ${statement}`);
  return { renamed: [], findings: [] };
}

async function createView(database: Database, type: string, view: string): Promise<MadeView> {
  const rows = viewRows(type);
  const { columns, jsonTypes } = await namedColumns(database, type, rows);
  const isLeading = (field: string) => leadingFields.some((leading) => leading === field);
  const fields = baseFields.map((name) => ({ name, key: undefined, sql: baseExpression(name) }));
  const properties = columns.map((column, place) => {
    const value = `property_${place}`;
    const expression = propertyExpression(column, jsonTypes, value);
    return { name: column.column, key: column.keys[0]?.key, column, value, ...expression };
  });
  const list: readonly SelectedColumn[] = [
    ...fields.filter(({ name }) => isLeading(name)),
    ...properties,
    ...trailingFields.flatMap((field) => fields.filter(({ name }) => name === field)),
  ];
  const values = properties.map(({ column, value }) => `${storedValue(column)} AS ${value}`);
  const from = `(SELECT ${["*", ...values].join()} FROM ${rows})`;
  const { statement, renamed } = selection(from, list);
  await database.run(`CREATE OR REPLACE VIEW ${quotedName(view)} AS ${statement}`);
  const mismatches = await viewMismatches(database, rows, properties);
  const findings = [...mismatches.values()];
  if (findings.length === 0) return { renamed, findings };
  const used = new Set(list.map(({ name }) => name));
  const withLogged = list.flatMap((selected): readonly SelectedColumn[] => {
    const { name, key, value } = selected;
    const isDoubtful = value !== undefined && mismatches.has(name);
    return isDoubtful ? [selected, { name: asLoggedName(name, used), key, sql: value }] : [selected];
  });
  return { renamed, findings, asLogged: selection(from, withLogged) };
}

/** A column that a view selects. */
interface SelectedColumn extends SqlColumnSource {
  readonly sql: string;
  /** What it is made of: the value as JSON text. */
  readonly value?: string;
}

function selection(from: string, columns: readonly SelectedColumn[]) {
  const { names, renamed } = sqlNames(columns);
  const selected = columns.map(({ sql }, index) => `${sql} AS ${quotedName(names[index] as string)}`);
  return { statement: `SELECT ${selected.join()} FROM ${from}`, renamed };
}

/** The value of a feature under the first of a column's keys that it has, as JSON text: no record is read for it. */
function storedValue({ keys }: NamedColumn): string {
  const values = keys.map(({ key }) => duckdbDialect.entry("properties", storedKey(key)));
  return values.length === 1 ? values.join() : `coalesce(${values.join()})`;
}

/** The layer features of a type, of those that layers have, with their `properties`: what stands behind `FROM`. */
function viewRows(type: string): string {
  const where = `semantic_type = ${sqlText(type)} AND ${whereMayHoldFeatures("datasets")}`;
  return `(FROM layer_features WHERE ${where})`;
}

interface NamedColumns {
  readonly columns: readonly NamedColumn[];
  readonly jsonTypes: JsonTypes;
}

async function namedColumns(database: Database, type: string, rows: string): Promise<NamedColumns> {
  const datasets = await records<Dataset>(database, "datasets");
  const definitions = await records<PropertyDefinition>(database, "property_definitions");
  const layout = layoutKeys(datasets.filter(({ semantic_type }) => semantic_type === type));
  const keys = withoutRepeats([...(await recordKeys(database, rows)), ...layout]).map(keyResolver(definitions));
  const names = new Map(datasets.map(({ id, name }) => [id, name]));
  let conflicts: ReadonlyMap<string, number> = new Map();
  const name = () => {
    const asked: (readonly PropertyKey[])[] = [];
    const { columns } = nameColumns(keys, {
      duplicateNames: "merge",
      datasetName: (id) => names.get(id) ?? `dataset ${id}`,
      conflicts: (group) => {
        asked.push(group);
        return conflicts.get(groupName(group)) ?? 0;
      },
    });
    return { columns, asked };
  };
  conflicts = await countConflicts(database, rows, name().asked);
  return { columns: orderColumns(name().columns, layout), jsonTypes: await jsonTypesOf(database, rows) };
}

/** All keys of records, also those that have no value anywhere. */
async function recordKeys(database: Database, rows: string): Promise<readonly string[]> {
  const keys = "TRY(json_keys(record, '/properties'))";
  const found = await database.rows(`SELECT DISTINCT unnest(${keys}) FROM ${rows}`);
  // Half a pair of surrogates.
  const unread = await database.rows(`SELECT record FROM ${rows} WHERE ${keys} IS NULL`);
  const others = await database.parsed(() =>
    unread.flatMap(([record]) => {
      const { properties } = JSON.parse(String(record)) as { readonly properties?: object };
      return Object.keys(properties ?? {});
    }),
  );
  return [...found.map(([key]) => String(key)), ...others];
}

/** How many features have different values under the keys of a group, by group. */
async function countConflicts(
  database: Database,
  rows: string,
  groups: readonly (readonly PropertyKey[])[],
): Promise<ReadonlyMap<string, number>> {
  if (groups.length === 0) return new Map();
  const pairs = groups.flatMap((group, place) => group.map(({ key }) => [storedKey(key), String(place)] as const));
  const found = await database.rows(
    `SELECT place, count(*)::DOUBLE FROM (
       SELECT place FROM ${storedValues(rows)} JOIN (SELECT unnest(?::VARCHAR[]) AS k, unnest(?::VARCHAR[]) AS place) USING (k)
       GROUP BY id, place HAVING min(v) <> max(v)) GROUP BY place`,
    [pairs.map(([key]) => key), pairs.map(([, place]) => place)],
  );
  return new Map(
    found.map(([place, count]) => [groupName(groups[Number(place)] as (typeof groups)[number]), Number(count)]),
  );
}

async function jsonTypesOf(database: Database, rows: string): Promise<JsonTypes> {
  const conditions: Readonly<Record<JsonType, string>> = {
    number: "regexp_matches(v, '^[-0-9]')",
    boolean: "v IN ('true', 'false')",
    text: `v LIKE '"%' AND NOT contains(v, '\\ud')`,
    "half text": `v LIKE '"%' AND contains(v, '\\ud')`,
    nested: "regexp_matches(v, '^[[{]')",
  };
  const types = Object.keys(conditions) as JsonType[];
  const isSeen = types.map((type) => `bool_or(${conditions[type]})`);
  const found = await database.rows(`SELECT k, ${isSeen.join()} FROM ${storedValues(rows)} GROUP BY k`);
  return new Map(
    found.map(([key, ...seen]) => [String(key), types.filter((_, place) => seen[place] === true)] as const),
  );
}

/** Fields without a column of their own are JSON text. */
function baseExpression(field: string): string {
  return field === "geometry" ? duckdbDialect.memberJson("record", field) : quotedName(field);
}

async function records<T>(database: Database, table: string): Promise<readonly T[]> {
  const rows = await database.rows(`SELECT record FROM ${table}`);
  return database.parsed(() => rows.map(([record]) => JSON.parse(String(record)) as T));
}

function withoutRepeats(keys: readonly string[]): readonly string[] {
  const byCanonical = new Map(keys.map((key) => [storedKey(key), key]));
  return [...byCanonical.values()];
}

function groupName(group: readonly PropertyKey[]): string {
  return group.map(({ key }) => key).join();
}

/** A statement with the columns of every view of intervals, and without rows: it has no properties. */
function emptyHistory(): string {
  return allIntervalsStatement({
    dialect: duckdbDialect,
    filters: new Map(),
    hiddenDatasets: [],
    logSites: undefined,
    isNarrow: false,
    ids: undefined,
    columns: [],
    labels: [],
    knownUpTo: undefined,
    lastKnownUs: undefined,
    hasGone: false,
  });
}

/**
 * What values of a key are: what decides the type of a column without a definition. A text may hold half a pair of
 * surrogates, which DuckDB does not read.
 */
type JsonType = "number" | "boolean" | "text" | "half text" | "nested";

/** Which of them there are, by stored key. */
type JsonTypes = ReadonlyMap<string, readonly JsonType[]>;

/** What a view selects for a property. */
interface PropertyExpression {
  readonly sql: string;
  readonly kind: ValueKind;
  /** Whether a value may be null, since it is not of the definition's type. */
  readonly isDoubtful: boolean;
}

/**
 * What a view selects for a property: of its definition's type, where this says more than that it is a text, else numbers or
 * booleans if all values are, else text.
 *
 * @param value name of a column with the value as JSON text
 */
function propertyExpression(column: NamedColumn, jsonTypes: JsonTypes, value: string): PropertyExpression {
  const seen = column.keys.flatMap(({ key }) => jsonTypes.get(storedKey(key)) ?? []);
  const kind = columnKind(definitionKind(propertyType(column).type), seen);
  // A number that is one needs no second look.
  const isPlain = kind === "text" || seen.every((type) => type === kind);
  // Every function that a column goes through takes memory of its own.
  const areTexts = kind === "text" && seen.length > 0 && seen.every((type) => type === "text");
  const sql = areTexts ? `json_extract_string(${value}, '$')` : shownValue(duckdbDialect, kind, value);
  return { sql, kind, isDoubtful: !isPlain };
}

/** Ids of other features are integers as long as every one stands alone. */
function columnKind(declared: DefinitionKind | undefined, seen: readonly JsonType[]): ValueKind {
  const isNumeric = seen.every((type) => type === "number");
  if (declared && declared.one !== "text" && (!declared.many || isNumeric)) return declared.one;
  if (seen.length > 0 && isNumeric) return "number";
  return seen.length > 0 && seen.every((type) => type === "boolean") ? "boolean" : "text";
}

/**
 * What stands behind `FROM` for each value of each feature by itself: `id`, `k` and `v`, the JSON text. So what is asked of
 * every property costs memory by what there is, not by how many properties there are.
 *
 * @param rows features with `properties`
 */
function storedValues(rows: string): string {
  return `(SELECT id, unnest(map_keys(properties)) AS k, unnest(map_values(properties)) AS v FROM ${rows})`;
}
