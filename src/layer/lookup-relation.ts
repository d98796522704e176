import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { nameHint } from "../core/nearest-name.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showTimeOrNumber } from "../core/show-record-value.js";
import { showValue } from "../core/show-value.js";
import { type Column, countTypes } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import { declaredType, declareType } from "../tables/types/declared-type.js";
import { type BuiltLayer, sqlDiagnostics } from "./build-layer.js";
import type { ColumnSchema } from "./layer-data.js";

/** Options of `layer.lookup()`. */
export interface LookupOptions {
  /** Prefix of the names of the new columns: `"Module type: "`. Default: none. */
  readonly prefix?: string;
}

const followRules: OptionRules<LookupOptions> = { prefix: text };

/** A layer as far as a lookup needs it. */
interface Followed {
  readonly table: ColumnTable;
  readonly schema: readonly ColumnSchema[];
  readonly added: readonly string[];
  readonly timeZone: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns a layer with columns of the features in one of its relations.
 *
 * @throws ArgumentError for an unknown column, and a name that the layer already has
 */
export function lookupRelation(
  layer: Followed,
  relation: string,
  related: Followed,
  columns: readonly string[],
  options: LookupOptions,
): BuiltLayer {
  checkOptions("lookup()", options, followRules);
  const { prefix = "" } = options;
  const index = placeOf(layer.schema, relation, "The layer");
  if (!isLayer(related)) {
    throw new ArgumentError(`lookup() needs the related layer, got ${showValue(related)}.`, {
      hint: `Read it: lookup(${showValue(relation)}, await source.layer({ … }), columns).`,
    });
  }
  if (!Array.isArray(columns) || columns.length === 0) {
    throw new ArgumentError(`lookup() needs an array of column names, got ${showValue(columns)}.`, {
      hint: `Columns of the related layer: ${related.table.columnNames().join(", ")}.`,
    });
  }
  const chosen = columns.map((name) => related.schema[placeOf(related.schema, name, "The related layer")]);
  const links = new Links(layer.table.column(relation) ?? [], related.table.column("id") ?? []);
  const used = new Set(layer.table.columnNames());
  const added = chosen.flatMap((entry) => {
    if (!entry) return [];
    const name = freeName(`${prefix}${entry.column}`, used, relation);
    const source = related.table.column(entry.column) ?? [];
    const values = links.values(source);
    const type = links.hasLists ? undefined : declaredType(source);
    if (type) declareType(values, type);
    const { timeZone = related.timeZone } = entry;
    return [{ values, entry: { ...entry, column: name, nulls: countTypes(values).null, timeZone } }];
  });
  const schema = layer.schema.toSpliced(index + 1, 0, ...added.map(({ entry }) => entry));
  const ownColumns = layer.table.columnNames().map((name): [string, Column] => [name, layer.table.column(name) ?? []]);
  const all = ownColumns.toSpliced(
    index + 1,
    0,
    ...added.map(({ entry, values }): [string, Column] => [entry.column, values]),
  );
  return {
    table: toTable(all),
    schema,
    added: [...layer.added, ...added.map(({ entry }) => entry.column)],
    diagnostics: () => [
      ...layer.diagnostics.filter(({ code }) => code !== "column-renamed-in-sql"),
      ...links.diagnostics(relation),
      ...sqlDiagnostics(schema),
    ],
  };
}

/** Whether a value is a layer, as far as a lookup needs it. */
export function isLayer(value: unknown): value is Followed {
  const { table, schema } = Object(value) as Partial<Followed>;
  return table !== undefined && Array.isArray(schema);
}

function placeOf(schema: readonly ColumnSchema[], name: unknown, owner: string): number {
  const names = schema.map(({ column }) => column);
  const index = names.indexOf(String(name));
  if (index >= 0) return index;
  throw new ArgumentError(`${owner} has no column ${showValue(name)}.`, {
    hint: nameHint(name, names),
    facts: { column: name },
  });
}

function freeName(name: string, used: Set<string>, relation: string): string {
  if (!used.has(name)) {
    used.add(name);
    return name;
  }
  throw new ArgumentError(`lookup(): the layer already has a column ${showValue(name)}.`, {
    hint: `Add a prefix: { prefix: ${showValue(`${relation}: `)} }.`,
    facts: { column: name },
  });
}

/** The rows of related features for the cells of a column. */
class Links {
  /** By row: a row of the related layer, or a row for each id of a list; −1 for an unknown id. */
  readonly #targets: readonly (number | readonly number[])[];
  /** Whether cells contain lists of ids, which return lists of values. */
  readonly hasLists: boolean;
  readonly #unresolved = new UnresolvedIds();

  constructor(relation: Column, ids: Column) {
    const rowOf = new Map(Array.from(ids, (id, row) => [Number(id), row]));
    const find = (value: unknown): number => {
      if (value === null || value === undefined) return -1;
      const row = rowOf.get(featureId(value));
      if (row === undefined) this.#unresolved.add(value);
      return row ?? -1;
    };
    this.#targets = Array.from(relation, (value: unknown) => (Array.isArray(value) ? value.map(find) : find(value)));
    this.hasLists = this.#targets.some((target) => typeof target !== "number");
  }

  /** Values of a column of the related layer, by row. */
  values(column: Column): readonly unknown[] {
    const at = (row: number) => (row < 0 ? null : (column.at(row) ?? null));
    return this.#targets.map((target) => (typeof target === "number" ? at(target) : target.map(at)));
  }

  diagnostics(relation: string): readonly Diagnostic[] {
    return this.#unresolved.diagnostics(relation, "of the related layer", "their values are null");
  }
}

/**
 * The id of a feature in a relation; NaN if invalid. The specification does not show the form of ids in relations: integers,
 * or strings of integers.
 */
export function featureId(value: unknown): number {
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return typeof value === "number" ? value : Number.NaN;
}

/** Ids that a diagnostic lists. */
const MOST_EXAMPLES = 10;

/** Counts the unknown ids of a relation and keeps examples. */
export class UnresolvedIds {
  readonly #examples = new Set<unknown>();
  #count = 0;

  add(id: unknown): void {
    this.#count += 1;
    if (this.#examples.size < MOST_EXAMPLES) this.#examples.add(id);
  }

  /**
   * @param whose owner of the missing features: `of the related layer`
   * @param then the consequence
   */
  diagnostics(relation: string, whose: string, then: string): readonly Diagnostic[] {
    if (this.#count === 0) return [];
    const examples = [...this.#examples];
    const [ids, are] = this.#count === 1 ? ["id", "is"] : ["ids", "are"];
    return [
      withSeverity({
        code: "relation-unresolved",
        message: `${this.#count} ${ids} in ${showValue(relation)} ${are} not the id of a feature ${whose}, such as ${showTimeOrNumber(examples[0])}; ${then}.`,
        count: this.#count,
        facts: { column: relation, ids: examples.map(featureId).filter(Number.isSafeInteger) },
      }),
    ];
  }
}
