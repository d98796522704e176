import { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import type { Provenance } from "../../core/provenance.js";
import type { Column } from "./column.js";
import "./row-verbs.js";

type ArqueroColumns = ConstructorParameters<typeof ColumnTable>[0];

/** A column that makes an array of its values in less time than they are read in one by one. */
interface WholeColumn {
  allValues(): unknown[];
}

/** The values that a column can have, in their order, by those that were found; none where nothing tells an order. */
export type ChoicesOf = (column: string, found: () => readonly string[]) => readonly string[];

/** A table that may say where its values come from and which its columns can have, and so may every table that Arquero's verbs make of it. */
class ProvenTable extends ColumnTable {
  #choicesOf: ChoicesOf | undefined;
  #provenance: Provenance | undefined;
  #findings: readonly Finding[] = [];

  /** Read by `findingsOf()`. They are about this table alone. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** @internal */
  set findings(findings: readonly Finding[]) {
    this.#findings = findings;
  }

  /** Read by `provenanceOf()`. */
  get provenance(): Provenance | undefined {
    return this.#provenance;
  }

  /** @internal */
  set provenance(provenance: Provenance | undefined) {
    this.#provenance = provenance;
  }

  override create(options: Parameters<ColumnTable["create"]>[0]): this {
    const table = super.create(options);
    table.provenance = this.provenance;
    table.choicesOf = this.choicesOf;
    return table;
  }

  /** @internal */
  get choicesOf(): ChoicesOf | undefined {
    return this.#choicesOf;
  }

  /** @internal */
  set choicesOf(choicesOf: ChoicesOf | undefined) {
    this.#choicesOf = choicesOf;
  }

  /** As Arquero has it, with columns, and the rows of one grouping, in the order of their values, unless `sort` says how. */
  override pivot(...values: Parameters<ColumnTable["pivot"]>): this {
    const [on, , { sort, valueSeparator = "_" } = {}] = values;
    const groups = this.isGrouped() ? this.groups().names : [];
    const choices = (column: unknown) =>
      typeof column === "string" && sort === undefined
        ? (this.#choicesOf?.(column, () => textsOf(this, column)) ?? [])
        : [];
    const [group] = groups;
    const rows = groups.length === 1 && !this.isOrdered() ? choices(group) : [];
    const table = rowsInOrder(super.pivot(...values), String(group), rows);
    const columns = choices(on);
    if (columns.length === 0) return table;
    const names = table.columnNames();
    return table.select([
      ...names.slice(0, groups.length),
      ...inOrder(names.slice(groups.length), columns, valueSeparator),
    ]);
  }

  override array(name: string, kind?: Parameters<ColumnTable["array"]>[1]): ReturnType<ColumnTable["array"]> {
    const column: unknown = this.column(name);
    const isPlain = kind === undefined || kind === Array;
    if (isPlain && isWhole(column) && !this.isFiltered() && !this.isOrdered()) return column.allValues();
    return super.array(name, kind);
  }
}

/** A table by the values of a column, others after them. */
function rowsInOrder<T extends ColumnTable>(table: T, column: string, choices: readonly string[]): T {
  if (choices.length === 0) return table;
  const places = new Map(choices.map((choice, place) => [choice, place]));
  const placeOf = Array.from(table.array(column), (value) => places.get(String(value)) ?? choices.length);
  return table.reify([...placeOf.keys()].sort((a, b) => Number(placeOf[a]) - Number(placeOf[b])));
}

/** The different texts of a column; none of one that has other values, too. */
function textsOf(table: ColumnTable, column: string): readonly string[] {
  const values = [...new Set<unknown>(table.array(column))].filter((value) => value !== null && value !== undefined);
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? texts : [];
}

/** Names of a pivoted table's columns: a choice alone, or what is shown of it and the choice, all choices of one side by side. */
function inOrder(names: readonly string[], choices: readonly string[], separator: string): readonly string[] {
  const longest = choices.map((choice, place) => ({ choice, place })).sort((a, b) => b.choice.length - a.choice.length);
  const isAlone = names.some((name) => choices.includes(name));
  const shownAt: string[] = [];
  const placed = names.map((name) => {
    const found = longest.find(({ choice }) => (isAlone ? name === choice : name.endsWith(separator + choice)));
    const shown = found ? name.slice(0, name.length - found.choice.length) : (shownAt.at(-1) ?? "");
    if (!shownAt.includes(shown)) shownAt.push(shown);
    return { name, shown: shownAt.indexOf(shown), place: found?.place ?? choices.length };
  });
  return placed.sort((a, b) => a.shown - b.shown || a.place - b.place).map(({ name }) => name);
}

/**
 * An Arquero table over columns, in their order, without copying values.
 *
 * @param columns column names with their columns, all of one length
 */
export function toTable(columns: Iterable<readonly [string, Column]>): ColumnTable {
  const entries = [...columns];
  return new ProvenTable(
    Object.fromEntries(entries) as ArqueroColumns,
    entries.map(([name]) => name),
  );
}

function isWhole(column: unknown): column is WholeColumn {
  return typeof column === "object" && column !== null && "allValues" in column;
}

/** Lets a table that `toTable()` made say what is to be known of it. Returns the same table. */
export function withTableFindings<T extends ColumnTable>(table: T, findings: readonly Finding[]): T {
  if (table instanceof ProvenTable) table.findings = findings;
  return table;
}

/** Lets a table that `toTable()` made say where its values come from. Returns the same table. */
export function withProvenance<T extends ColumnTable>(table: T, provenance: Provenance): T {
  if (table instanceof ProvenTable) table.provenance = provenance;
  return table;
}

/** Lets a table that `toTable()` made know what its columns can have. Returns the same table. */
export function withChoices<T extends ColumnTable>(table: T, choicesOf: ChoicesOf): T {
  if (table instanceof ProvenTable) table.choicesOf = choicesOf;
  return table;
}
