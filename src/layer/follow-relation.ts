import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { nameHint } from "../core/nearest-name.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showTimeOrNumber } from "../core/show-record-value.js";
import { showValue } from "../core/show-value.js";
import { type Column, countTypes } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import { declaredType, declareType } from "../tables/types/declared-type.js";
import { type BuiltLayer, sqlFindings } from "./build-layer.js";
import type { ColumnSchema } from "./layer-data.js";

/** Options of `layer.follow()`. */
export interface FollowOptions {
  /** What is put before the names of the columns that come: `"Module type: "`. Default: nothing. */
  readonly prefix?: string;
}

const followRules: OptionRules<FollowOptions> = { prefix: text };

/** What is followed, and where it leads. */
interface Followed {
  readonly table: ColumnTable;
  readonly schema: readonly ColumnSchema[];
  readonly added: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * A layer with columns of the features that one of its columns names.
 *
 * @throws ArgumentError for a column that there is not, and a name that is taken
 */
export function followRelation(
  layer: Followed,
  relation: string,
  related: Followed,
  columns: readonly string[],
  options: FollowOptions,
): BuiltLayer {
  checkOptions("follow()", options, followRules);
  const { prefix = "" } = options;
  const place = placeOf(layer.schema, relation, "The layer");
  if (!isLayer(related)) {
    throw new ArgumentError(`follow() takes the layer that the ids are of, got ${showValue(related)}.`, {
      hint: `Read it: follow(${showValue(relation)}, await source.layer({ … }), columns).`,
    });
  }
  if (!Array.isArray(columns) || columns.length === 0) {
    throw new ArgumentError(`follow() takes the names of columns, got ${showValue(columns)}.`, {
      hint: `The related layer has ${related.table.columnNames().join(", ")}.`,
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
    return [{ values, entry: { ...entry, column: name, nulls: countTypes(values).null } }];
  });
  const schema = layer.schema.toSpliced(place + 1, 0, ...added.map(({ entry }) => entry));
  const own = layer.table.columnNames().map((name): [string, Column] => [name, layer.table.column(name) ?? []]);
  const all = own.toSpliced(
    place + 1,
    0,
    ...added.map(({ entry, values }): [string, Column] => [entry.column, values]),
  );
  return {
    table: toTable(all),
    schema,
    added: [...layer.added, ...added.map(({ entry }) => entry.column)],
    findings: () => [
      ...layer.findings.filter(({ code }) => code !== "sql-name"),
      ...links.findings(relation),
      ...sqlFindings(schema),
    ],
  };
}

/** Whether a value is a layer, as far as it is looked at here. */
export function isLayer(value: unknown): value is Followed {
  const { table, schema } = Object(value) as Partial<Followed>;
  return table !== undefined && Array.isArray(schema);
}

function placeOf(schema: readonly ColumnSchema[], name: unknown, owner: string): number {
  const names = schema.map(({ column }) => column);
  const place = names.indexOf(String(name));
  if (place >= 0) return place;
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
  throw new ArgumentError(`The layer has a column ${showValue(name)} already.`, {
    hint: `Give the columns that come a prefix: { prefix: ${showValue(`${relation}: `)} }.`,
    facts: { column: name },
  });
}

/** The rows of related features that the cells of a column lead to. */
class Links {
  /** By row: a row of the related layer, or one for each id of a list; −1 where there is none. */
  readonly #targets: readonly (number | readonly number[])[];
  /** Whether there are lists of ids, which bring lists of values. */
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

  /** Of a column of the related layer, those of each row's related features. */
  values(column: Column): readonly unknown[] {
    const at = (row: number) => (row < 0 ? null : (column.at(row) ?? null));
    return this.#targets.map((target) => (typeof target === "number" ? at(target) : target.map(at)));
  }

  findings(relation: string): readonly Finding[] {
    return this.#unresolved.findings(relation, "of the related layer", "what they would bring is null");
  }
}

/**
 * The id of a feature that a relation holds; NaN where it is none. The specification does not show how relations hold ids:
 * integers, or texts of them.
 */
export function featureId(value: unknown): number {
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return typeof value === "number" ? value : Number.NaN;
}

/** Ids that a finding lists. */
const MOST_EXAMPLES = 10;

/** Counts the ids of a relation that lead nowhere, and keeps some of them. */
export class UnresolvedIds {
  readonly #examples = new Set<unknown>();
  #count = 0;

  add(id: unknown): void {
    this.#count += 1;
    if (this.#examples.size < MOST_EXAMPLES) this.#examples.add(id);
  }

  /**
   * @param whose the features that ids should be of: `of the related layer`
   * @param then what follows from it
   */
  findings(relation: string, whose: string, then: string): readonly Finding[] {
    if (this.#count === 0) return [];
    const examples = [...this.#examples];
    const [ids, are] = this.#count === 1 ? ["id", "is"] : ["ids", "are"];
    return [
      {
        code: "unresolved-relation",
        message: `${this.#count} ${ids} in ${showValue(relation)} ${are} of no feature ${whose}, such as ${showTimeOrNumber(examples[0])}; ${then}.`,
        count: this.#count,
        facts: { column: relation, ids: examples.map(featureId).filter(Number.isSafeInteger) },
      },
    ];
  }
}
