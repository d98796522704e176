import { type PropertyRule, propertyRule, type ValueKind } from "../../api/property-types.js";
import type { Dataset, PropertyDefinition } from "../../api/resources.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { allIntervalsStatement } from "../../history/questions/intervals.js";
import { castValue } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { layoutKeys, orderColumns } from "../../layer/column-order.js";
import { leadingFields, trailingFields } from "../../layer/layer-data.js";
import { type NamedColumn, nameColumns, propertyType } from "../../layer/name-columns.js";
import { keyResolver, type PropertyKey } from "../../layer/property-key.js";
import { asLoggedName } from "../../tables/export/export-table.js";
import { baseFields } from "../../tables/read/feature-columns.js";
import { quotedName, type SqlColumnSource, type SqlRename, sqlNames } from "../../tables/sql/sql-names.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import { EXAMPLES, mismatchDiagnostic } from "../../tables/types/type-mismatches.js";
import type { Database } from "../database/database.js";
import { whereMayHoldFeatures } from "../database/where.js";
import { storedKey } from "../write/encode-record.js";
import { once } from "./once.js";
import type { OpenPast } from "./type-past.js";
import type { NamedRelation } from "./view-names.js";

/** Facts about a view. */
interface MadeView {
  /** Columns with other names in the view. */
  readonly renamed: readonly SqlRename[];
  /** Diagnostics for values that are null in it, since they do not match their declared type. */
  readonly diagnostics: readonly Diagnostic[];
  /** The view with columns of logged values; undefined if all values match. */
  readonly asLogged?: { readonly statement: string; readonly renamed: readonly SqlRename[] };
}

/**
 * Views of a database that queries have named. Creating a view scans all records of its type, so each is created once.
 */
export class SemanticViews {
  readonly #made = new Map<string, Promise<MadeView>>();
  /** Views of intervals that were listed before a query named them: they have the columns, and no rows. */
  readonly #listed = new Map<string, Promise<MadeView>>();

  /**
   * Creates the view of a relation, unless it exists.
   *
   * @returns facts about the view
   */
  async make(database: Database, relation: NamedRelation, openPast: OpenPast): Promise<MadeView> {
    const { type, kind, name, isOnlyListed } = relation;
    if (kind !== "history") return once(this.#made, name, () => createView(database, type, name));
    // A type's past needs all of its features; a list needs only its columns, which are the same for every type.
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
 * Returns diagnostics for values that are null in a view, since they do not match their declared type. Features are
 * scanned once, and not at all if every value has the JSON type of its definition.
 *
 * @param rows the features of the view, with `properties`
 * @returns diagnostics by column
 */
async function viewMismatches(
  database: Database,
  rows: string,
  properties: readonly (PropertyExpression & { readonly column: NamedColumn })[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const doubtful = properties.filter(({ isDoubtful }) => isDoubtful);
  if (doubtful.length === 0) return new Map();
  const keys = doubtful.flatMap(({ column, kind }, index) => {
    return column.keys.map(({ key }) => ({ key: storedKey(key), columnIndex: String(index), kind }));
  });
  const kinds = [...new Set(doubtful.map(({ kind }) => kind))];
  const isMistyped = kinds.map((kind) => `(kind = '${kind}' AND ${castValue(duckdbDialect, kind, "v")} IS NULL)`);
  // A feature with two keys in one column has the same value for both.
  const mistypedRows = await database.rows(
    `SELECT place, sum(n)::DOUBLE, to_json(min(v, ${EXAMPLES}))::VARCHAR FROM (
       SELECT place, v, count(DISTINCT id) AS n FROM ${storedValues(rows)}
       JOIN (SELECT unnest(?::VARCHAR[]) AS k, unnest(?::VARCHAR[]) AS place, unnest(?::VARCHAR[]) AS kind) USING (k)
       WHERE ${isMistyped.join(" OR ")} GROUP BY place, v) GROUP BY place`,
    [keys.map(({ key }) => key), keys.map(({ columnIndex }) => columnIndex), keys.map(({ kind }) => kind)],
  );
  const countsByColumn = new Map(mistypedRows.map(([index, ...counted]) => [String(index), counted]));
  const diagnostics = doubtful.flatMap(({ column }, index) => {
    const [count, texts] = countsByColumn.get(String(index)) ?? [];
    if (count === undefined) return [];
    const examples = (JSON.parse(String(texts)) as string[]).map((text) => JSON.parse(text) as unknown);
    const { key, type } = propertyType(column);
    return [[column.column, mismatchDiagnostic(column.column, key, type, { count: Number(count), examples })] as const];
  });
  return new Map(diagnostics);
}

async function createHistory(database: Database, view: string, statement: string): Promise<MadeView> {
  await database.run(`CREATE OR REPLACE VIEW ${quotedName(view)} AS ${statement}`);
  return { renamed: [], diagnostics: [] };
}

async function createView(database: Database, type: string, view: string): Promise<MadeView> {
  const rows = viewRows(type);
  const { columns, jsonTypes } = await namedColumns(database, type, rows);
  const isLeading = (field: string) => leadingFields.some((leading) => leading === field);
  const fields = baseFields.map((name) => ({ name, key: undefined, sql: baseExpression(name) }));
  const properties = columns.map((column, index) => {
    const value = `property_${index}`;
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
  const diagnostics = [...mismatches.values()];
  if (diagnostics.length === 0) return { renamed, diagnostics };
  const used = new Set(list.map(({ name }) => name));
  const withLogged = list.flatMap((selected): readonly SelectedColumn[] => {
    const { name, key, value } = selected;
    const isDoubtful = value !== undefined && mismatches.has(name);
    return isDoubtful ? [selected, { name: asLoggedName(name, used), key, sql: value }] : [selected];
  });
  return { renamed, diagnostics, asLogged: selection(from, withLogged) };
}

/** A column in a view. */
interface SelectedColumn extends SqlColumnSource {
  readonly sql: string;
  /** Its expression: the value as JSON text. */
  readonly value?: string;
}

function selection(from: string, columns: readonly SelectedColumn[]) {
  const { names, renamed } = sqlNames(columns);
  const selected = columns.map(({ sql }, index) => `${sql} AS ${quotedName(names[index] as string)}`);
  return { statement: `SELECT ${selected.join()} FROM ${from}`, renamed };
}

/** The value of a feature under the first existing key of a column, as JSON text, without reading the record. */
function storedValue({ keys }: NamedColumn): string {
  const values = keys.map(({ key }) => duckdbDialect.entry("properties", storedKey(key)));
  return values.length === 1 ? values.join() : `coalesce(${values.join()})`;
}

/** The layer features of a type, with their `properties`: the text after `FROM`. */
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
    const keyLists: (readonly PropertyKey[])[] = [];
    const { columns } = nameColumns(keys, {
      duplicateNames: "merge",
      datasetName: (id) => names.get(id) ?? `dataset ${id}`,
      conflicts: (group) => {
        keyLists.push(group);
        return conflicts.get(groupName(group)) ?? 0;
      },
    });
    return { columns, asked: keyLists };
  };
  conflicts = await countConflicts(database, rows, name().asked);
  return { columns: orderColumns(name().columns, layout), jsonTypes: await jsonTypesOf(database, rows) };
}

/** All keys of records, including keys without values. */
async function recordKeys(database: Database, rows: string): Promise<readonly string[]> {
  const keys = "TRY(json_keys(record, '/properties'))";
  const keyRows = await database.rows(`SELECT DISTINCT unnest(${keys}) FROM ${rows}`);
  // Half of a surrogate pair.
  const unread = await database.rows(`SELECT record FROM ${rows} WHERE ${keys} IS NULL`);
  const others = await database.parsed(() =>
    unread.flatMap(([record]) => {
      const { properties } = JSON.parse(String(record)) as { readonly properties?: object };
      return Object.keys(properties ?? {});
    }),
  );
  return [...keyRows.map(([key]) => String(key)), ...others];
}

/** Count of features with different values under the keys of a group, by group. */
async function countConflicts(
  database: Database,
  rows: string,
  groups: readonly (readonly PropertyKey[])[],
): Promise<ReadonlyMap<string, number>> {
  if (groups.length === 0) return new Map();
  const pairs = groups.flatMap((group, index) => group.map(({ key }) => [storedKey(key), String(index)] as const));
  const conflicts = await database.rows(
    `SELECT place, count(*)::DOUBLE FROM (
       SELECT place FROM ${storedValues(rows)} JOIN (SELECT unnest(?::VARCHAR[]) AS k, unnest(?::VARCHAR[]) AS place) USING (k)
       GROUP BY id, place HAVING min(v) <> max(v)) GROUP BY place`,
    [pairs.map(([key]) => key), pairs.map(([, index]) => index)],
  );
  return new Map(
    conflicts.map(([index, count]) => [groupName(groups[Number(index)] as (typeof groups)[number]), Number(count)]),
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
  const keyRows = await database.rows(`SELECT k, ${isSeen.join()} FROM ${storedValues(rows)} GROUP BY k`);
  return new Map(
    keyRows.map(([key, ...seen]) => [String(key), types.filter((_, index) => seen[index] === true)] as const),
  );
}

/** Fields without their own column are JSON text. */
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
 * Types of the values of a key, which decide the type of a column without a definition. A string may contain half of a
 * surrogate pair, which DuckDB cannot read.
 */
type JsonType = "number" | "boolean" | "text" | "half text" | "nested";

/** The existing types by stored key. */
type JsonTypes = ReadonlyMap<string, readonly JsonType[]>;

/** Expression of a property in a view. */
interface PropertyExpression {
  readonly sql: string;
  readonly kind: ValueKind;
  /** Whether a value may be null, since it does not match the declared type. */
  readonly isDoubtful: boolean;
}

/**
 * Returns the expression of a property: of its declared type if that is more specific than string, else numbers or
 * booleans if all values are, else strings.
 *
 * @param value name of a column with the value as JSON text
 */
function propertyExpression(column: NamedColumn, jsonTypes: JsonTypes, value: string): PropertyExpression {
  const seen = column.keys.flatMap(({ key }) => jsonTypes.get(storedKey(key)) ?? []);
  const kind = columnKind(propertyRule(propertyType(column).type), seen);
  // Numbers of a number column need no check.
  const isPlain = kind === "text" || seen.every((type) => type === kind);
  // Every function of a column needs its own memory.
  const areTexts = kind === "text" && seen.length > 0 && seen.every((type) => type === "text");
  const sql = areTexts ? `json_extract_string(${value}, '$')` : castValue(duckdbDialect, kind, value);
  return { sql, kind, isDoubtful: !isPlain };
}

/** Ids of other features are integers if every value is a single id. */
function columnKind(declared: PropertyRule | undefined, seen: readonly JsonType[]): ValueKind {
  const isNumeric = seen.every((type) => type === "number");
  if (declared && declared.kind !== "text" && (!declared.listKind || isNumeric)) return declared.kind;
  if (seen.length > 0 && isNumeric) return "number";
  return seen.length > 0 && seen.every((type) => type === "boolean") ? "boolean" : "text";
}

/**
 * Relation with a row per value of each feature: `id`, `k` and `v`, the JSON text. Queries over every property then
 * need memory by the count of values instead of properties.
 *
 * @param rows features with `properties`
 */
function storedValues(rows: string): string {
  return `(SELECT id, unnest(map_keys(properties)) AS k, unnest(map_values(properties)) AS v FROM ${rows})`;
}
