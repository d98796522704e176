import { propertyRule, type ValueKind } from "../../../api/property-types.js";
import { canonicalJson } from "../../../core/json.js";
import type { LayerInput } from "../../../layer/layer-data.js";
import { propertyType } from "../../../layer/name-columns.js";
import { decodeValue, optionLabels } from "../../../layer/option-labels.js";
import { canonicalKey, keyResolver } from "../../../layer/property-key.js";
import { countTypes } from "../../../tables/column/column.js";
import type { DeclaredType } from "../../../tables/types/declared-type.js";
import { typeMismatches } from "../../../tables/types/type-mismatches.js";
import { type StepOptions, stepOrder, type ValueRanks } from "../../columns/step-order.js";
import type { Engine } from "../engine/engine.js";
import { type QuestionData, queryAll, requireColumns } from "../engine/query-in-batches.js";
import { kindRows, loggedArrays, loggedValueRows, mistypedRows } from "../sql/log-statements.js";
import type { Scope, ScopeLabel } from "../sql/statement-scope.js";

/**
 * Kinds of all logged and current values of some columns: numbers, booleans, or others. Known kinds are reused.
 *
 * @param columns their indices
 * @returns by index; undefined for columns that were not requested
 */
export async function valueKinds(
  data: QuestionData,
  columns: readonly number[],
  signal: AbortSignal | undefined,
): Promise<readonly (ValueKind | undefined)[]> {
  const unread = columns.filter((column) => !data.kinds.has(column));
  if (unread.length > 0) {
    const logged = await loggedKinds(data, unread, signal);
    for (const column of unread) data.kinds.set(column, valueKind(data, column, logged));
  }
  return data.columns.map((_, column) => data.kinds.get(column));
}

async function loggedKinds(data: QuestionData, columns: readonly number[], signal: AbortSignal | undefined) {
  const logged = new Map<unknown, Kinds>();
  const askedKeys = columns.flatMap((column) => data.scope.columns[column]?.keys ?? []);
  for await (const { rowCount, columns } of queryAll(data, (scope) => kindRows(scope, askedKeys), signal)) {
    const [keys, counts, numbers, booleans] = requireColumns(columns, 4);
    for (let index = 0; index < rowCount; index += 1) {
      logged.set(keys[index], {
        all: Number(counts[index]),
        numbers: Number(numbers[index]),
        booleans: Number(booleans[index]),
      });
    }
  }
  return logged;
}

function valueKind(data: QuestionData, column: number, logged: ReadonlyMap<unknown, Kinds>): ValueKind {
  const keys = data.scope.columns[column]?.keys ?? [];
  const isLabelled = data.scope.labels.some(({ key }) => keys.includes(key));
  return isLabelled ? "text" : kindOf([...keys.flatMap((key) => logged.get(key) ?? []), presentKinds(data, column)]);
}

/** Kinds of all current values of each column; undefined for columns that exist only in the log. */
export function presentValueKinds(data: QuestionData): readonly (ValueKind | undefined)[] {
  return data.columns.map(({ isInLayer }, column) => (isInLayer ? kindOf([presentKinds(data, column)]) : undefined));
}

interface Kinds {
  readonly all: number;
  readonly numbers: number;
  readonly booleans: number;
}

function presentKinds({ columns }: QuestionData, column: number): Kinds {
  const counts = countTypes(columns[column]?.values ?? []);
  const { number: numbers, boolean: booleans } = counts;
  return { all: numbers + booleans + counts.string + counts.json, numbers, booleans };
}

function kindOf(kinds: readonly Kinds[]): ValueKind {
  const sum = (of: (kind: Kinds) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  const all = sum((kind) => kind.all);
  if (all > 0 && sum((kind) => kind.numbers) === all) return "number";
  return all > 0 && sum((kind) => kind.booleans) === all ? "boolean" : "text";
}

/**
 * Kinds of columns by their definitions, if these declare more than strings: other values become null then. Ids of
 * other features are integers if every value is a single id.
 *
 * @param seen kinds of their values, by index
 */
export function declaredKinds(
  { columns, scope }: QuestionData,
  seen: readonly (ValueKind | undefined)[],
): readonly (ValueKind | undefined)[] {
  const labelled = new Set(scope.labels.map(({ key }) => key));
  return columns.map((column, index) => {
    const kind = seen[index];
    const isLabelled = scope.columns[index]?.keys.some((key) => labelled.has(key));
    const declared = isLabelled ? undefined : propertyRule(propertyType(column).type);
    if (kind === undefined || !declared || declared.kind === "text") return kind;
    return declared.listKind && kind !== "number" ? kind : declared.kind;
  });
}

/**
 * Indices of columns with values that are null in a stored result, because they do not fit the types of their
 * definitions.
 */
export interface MistypedColumns {
  /** Columns that currently have such a value. */
  readonly present: ReadonlySet<number>;
  /** Columns that ever had one. */
  readonly ever: ReadonlySet<number>;
  /** The declared type of each column. */
  readonly types: ReadonlyMap<number, DeclaredType>;
}

/**
 * Finds the columns that have values that do not fit the types of their definitions.
 *
 * @param kinds kinds of the columns, by index
 */
export async function mistypedColumns(
  data: QuestionData,
  kinds: readonly (ValueKind | undefined)[],
): Promise<MistypedColumns> {
  const present = new Set<number>();
  const types = new Map(data.columns.map((column, index) => [index, propertyType(column)]));
  const kindOfKey = new Map<string, ValueKind>();
  data.columns.forEach((column, index) => {
    const kind = kinds[index];
    if (kind === undefined || kind === "text") return;
    if (typeMismatches(column.values, propertyType(column).type).count > 0) present.add(index);
    for (const key of data.scope.columns[index]?.keys ?? []) kindOfKey.set(key, kind);
  });
  const ever = new Set(present);
  if (kindOfKey.size === 0) return { present, ever, types };
  for await (const { rowCount, columns } of queryAll(data, (scope) => mistypedRows(scope, kindOfKey), undefined)) {
    const [mistypedKeys] = requireColumns(columns, 1);
    const keys = new Set(Array.from({ length: rowCount }, (_, row) => mistypedKeys[row]));
    data.scope.columns.forEach((column, index) => {
      if (column.keys.some((key) => keys.has(key))) ever.add(index);
    });
  }
  return { present, ever, types };
}

/**
 * Ranks of a column's values in the requested order; undefined without an order.
 *
 * @throws ArgumentError as a history does
 */
export async function askedOrder(
  data: QuestionData,
  column: number,
  { order }: StepOptions,
  signal: AbortSignal | undefined,
): Promise<ValueRanks | undefined> {
  const propertyColumn = data.columns[column];
  if (order === undefined || !propertyColumn) return undefined;
  return stepOrder(propertyColumn, order, order === "options" ? [] : await loggedValues(data, column, signal));
}

/** The distinct values that a column ever had by the log. */
export async function loggedValues(
  data: QuestionData,
  column: number,
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  const logged: unknown[] = [];
  for await (const { columns } of queryAll(data, (scope) => loggedValueRows(scope, column), signal)) {
    const [texts] = requireColumns(columns, 1);
    for (const text of Array.from(texts)) logged.push(JSON.parse(String(text)));
  }
  return logged;
}

/**
 * Labels that replace the values of OPTION properties, according to the layer's `optionLabels`. Codes may be inside
 * arrays, so the existing arrays are looked up.
 *
 * @param keys keys of the log and of features, canonical
 */
export async function scopeLabels(
  engine: Engine,
  scope: Scope,
  input: LayerInput,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly ScopeLabel[]> {
  if (!input.options.optionLabels) return [];
  const resolve = keyResolver(input.definitions);
  const labelled = keys.flatMap((key) => {
    const { definition } = resolve(key);
    const labels = definition && optionLabels(definition);
    return labels ? [{ key, labels }] : [];
  });
  if (labelled.length === 0) return [];
  const labelledKeys = labelled.map(({ key }) => key);
  const arrays = new Set(presentArrays(input, labelledKeys));
  for await (const { columns } of queryAll({ engine, scope }, (part) => loggedArrays(part, labelledKeys), signal)) {
    const [texts] = requireColumns(columns, 1);
    for (const text of Array.from(texts)) arrays.add(String(text));
  }
  return labelled.flatMap(({ key, labels }) => {
    const values = [...labels.keys(), ...[...arrays].map((text): unknown => JSON.parse(text))];
    return values.flatMap((value) => {
      const [code, label] = [canonicalJson(value), canonicalJson(decodeValue(value, labels))];
      return code === label ? [] : [{ key, value: code, label }];
    });
  });
}

/** The arrays that features have under some keys, as canonical JSON texts. */
function presentArrays({ features }: LayerInput, keys: readonly string[]): readonly string[] {
  const selected = new Set(keys);
  return [...features.properties].flatMap(([key, column]) => {
    if (!selected.has(canonicalKey(key))) return [];
    return Array.from(column).flatMap((value) => (Array.isArray(value) ? [canonicalJson(value)] : []));
  });
}
