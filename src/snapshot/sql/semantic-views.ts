import type { Dataset, PropertyDefinition } from "../../api/resources.js";
import { asLoggedName } from "../../columns/export/as-logged-name.js";
import { baseFields } from "../../columns/read/feature-columns.js";
import { quotedName } from "../../columns/sql/sql-identifier.js";
import { type SqlColumnSource, type SqlRename, sqlNames } from "../../columns/sql/sql-names.js";
import type { Finding } from "../../core/finding.js";
import { leadingFields, trailingFields } from "../../layer/layer-data.js";
import { layoutKeys } from "../../layer/layout-keys.js";
import { type NamedColumn, nameColumns } from "../../layer/name-columns.js";
import { orderColumns } from "../../layer/order-columns.js";
import { canonicalKey, keyResolver, type PropertyKey } from "../../layer/property-key.js";
import type { Database } from "../database/database.js";
import { whereMayHoldFeatures } from "../database/feature-datasets.js";
import { sqlText } from "../format/sql-text.js";
import { emptyHistory } from "./empty-history.js";
import type { NamedRelation } from "./named-relations.js";
import { once } from "./once.js";
import { propertyExpression, sqlPointer } from "./property-expression.js";
import type { OpenPast } from "./type-past.js";
import { viewMismatches } from "./view-mismatches.js";

/** What to know of a view. */
export interface MadeView {
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

async function createHistory(database: Database, view: string, statement: string): Promise<MadeView> {
  await database.run(`CREATE OR REPLACE VIEW ${quotedName(view)} AS ${statement}`);
  return { renamed: [], findings: [] };
}

async function createView(database: Database, type: string, view: string): Promise<MadeView> {
  const { columns, jsonTypes } = await namedColumns(database, type);
  const isLeading = (field: string) => leadingFields.some((leading) => leading === field);
  const fields = baseFields.map((name) => ({ name, key: undefined, sql: baseExpression(name) }));
  const properties = columns.map((column) => ({
    name: column.column,
    key: column.keys[0]?.key,
    column,
    ...propertyExpression(column, jsonTypes),
  }));
  const list: readonly SelectedColumn[] = [
    ...fields.filter(({ name }) => isLeading(name)),
    ...properties,
    ...trailingFields.flatMap((field) => fields.filter(({ name }) => name === field)),
  ];
  const { statement, renamed } = selection(type, list);
  await database.run(`CREATE OR REPLACE VIEW ${quotedName(view)} AS ${statement}`);
  const mismatches = await viewMismatches(database, whereType(type), properties);
  const findings = [...mismatches.values()];
  if (findings.length === 0) return { renamed, findings };
  const used = new Set(list.map(({ name }) => name));
  const withLogged = list.flatMap((selected): readonly SelectedColumn[] => {
    const { name, key, raw } = selected;
    const isDoubtful = raw !== undefined && mismatches.has(name);
    return isDoubtful ? [selected, { name: asLoggedName(name, used), key, sql: raw }] : [selected];
  });
  return { renamed, findings, asLogged: selection(type, withLogged) };
}

/** A column that a view selects. */
interface SelectedColumn extends SqlColumnSource {
  readonly sql: string;
  /** What it is made of. */
  readonly raw?: string;
}

function selection(type: string, columns: readonly SelectedColumn[]) {
  const { names, renamed } = sqlNames(columns);
  const selected = columns.map(({ sql }, index) => `${sql} AS ${quotedName(names[index] ?? "")}`);
  return { statement: `SELECT ${selected.join()} FROM layer_features WHERE ${whereType(type)}`, renamed };
}

/** The condition on layer features that they are of a type, and among those that layers have. */
function whereType(type: string): string {
  return `semantic_type = ${sqlText(type)} AND ${whereMayHoldFeatures("datasets")}`;
}

interface NamedColumns {
  readonly columns: readonly NamedColumn[];
  /** JSON types of each key's values. */
  readonly jsonTypes: ReadonlyMap<string, readonly string[]>;
}

async function namedColumns(database: Database, type: string): Promise<NamedColumns> {
  const where = whereType(type);
  const datasets = await records<Dataset>(database, "datasets");
  const definitions = await records<PropertyDefinition>(database, "property_definitions");
  const found = await database.rows(
    `SELECT DISTINCT unnest(TRY(json_keys(record, '/properties'))) FROM layer_features WHERE ${where}`,
  );
  const layout = layoutKeys(datasets.filter(({ semantic_type }) => semantic_type === type));
  const keys = withoutRepeats([...found.map(([key]) => String(key)), ...layout]).map(keyResolver(definitions));
  const names = new Map(datasets.map(({ id, name }) => [id, name]));
  const conflicts = new Map<string, number>();
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
  for (const group of name().asked) conflicts.set(groupName(group), await countConflicts(database, where, group));
  return { columns: orderColumns(name().columns, layout), jsonTypes: await jsonTypesOf(database, where, keys) };
}

async function countConflicts(database: Database, where: string, group: readonly PropertyKey[]): Promise<number> {
  const values = group.map(({ key }) => `nullif(TRY(json_extract(record, ${sqlPointer(key)}))::VARCHAR, 'null')`);
  const [[count] = []] = await database.rows(
    `SELECT count(*)::DOUBLE FROM layer_features WHERE ${where}
     AND len(list_distinct(list_filter([${values.join()}], lambda v: v IS NOT NULL))) > 1`,
  );
  return Number(count);
}

async function jsonTypesOf(
  database: Database,
  where: string,
  keys: readonly PropertyKey[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (keys.length === 0) return new Map();
  const types = keys.map(({ key }) => `to_json(list(DISTINCT TRY(json_type(record, ${sqlPointer(key)}))))::VARCHAR`);
  const [row = []] = await database.rows(`SELECT ${types.join()} FROM layer_features WHERE ${where}`);
  return new Map(
    keys.map(({ key }, index) => {
      const seen = JSON.parse(String(row[index] ?? "[]")) as (string | null)[] | null;
      return [key, (seen ?? []).filter((type) => type !== null && type !== "NULL")] as const;
    }) as readonly (readonly [string, readonly string[]])[],
  );
}

/** Fields without a column of their own are JSON text. */
function baseExpression(field: string): string {
  return field === "geometry" ? "TRY(json_extract(record, '/geometry'))::VARCHAR" : quotedName(field);
}

async function records<T>(database: Database, table: string): Promise<readonly T[]> {
  const rows = await database.rows(`SELECT record FROM ${table}`);
  return database.parsed(() => rows.map(([record]) => JSON.parse(String(record)) as T));
}

function withoutRepeats(keys: readonly string[]): readonly string[] {
  const byCanonical = new Map(keys.map((key) => [canonicalKey(key), key]));
  return [...byCanonical.values()];
}

function groupName(group: readonly PropertyKey[]): string {
  return group.map(({ key }) => key).join();
}
