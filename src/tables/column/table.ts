import { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { Provenance } from "../../core/provenance.js";
import type { Column } from "./column.js";
import "./row-verbs.js";

type ArqueroColumns = ConstructorParameters<typeof ColumnTable>[0];

/** A column that can create an array of its values faster than by reading them one by one. */
interface WholeColumn {
  allValues(): unknown[];
}

/** Returns the possible values of a column in their order, given the values found; empty if no order is known. */
export type ChoicesOf = (column: string, values: () => readonly string[]) => readonly string[];

/**
 * A table that may have provenance and possible values of its columns, like every table that Arquero's verbs derive
 * from it.
 */
class ProvenTable extends ColumnTable {
  #choicesOf: ChoicesOf | undefined;
  #provenance: Provenance | undefined;
  #diagnostics: readonly Diagnostic[] = [];

  /** Diagnostics about this table only, for `diagnosticsOf()`. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** @internal */
  set diagnostics(diagnostics: readonly Diagnostic[]) {
    this.#diagnostics = diagnostics;
  }

  /** Origin of the values, for `provenanceOf()`. */
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

  /**
   * Returns Arquero's pivot, with columns, and the rows of a single grouping, in the order of their values, unless
   * `sort` is set.
   */
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

/** A table ordered by the values of a column, with other values last. */
function rowsInOrder<T extends ColumnTable>(table: T, column: string, choices: readonly string[]): T {
  if (choices.length === 0) return table;
  const indexOf = new Map(choices.map((choice, index) => [choice, index]));
  const indexOfRow = Array.from(table.array(column), (value) => indexOf.get(String(value)) ?? choices.length);
  return table.reify([...indexOfRow.keys()].sort((a, b) => Number(indexOfRow[a]) - Number(indexOfRow[b])));
}

/** The distinct strings of a column; empty if it also has other values. */
function textsOf(table: ColumnTable, column: string): readonly string[] {
  const values = [...new Set<unknown>(table.array(column))].filter((value) => value !== null && value !== undefined);
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? texts : [];
}

/**
 * Names of a pivoted table's columns: a choice, or a value column and a choice, with all columns of a choice next to
 * each other.
 */
function inOrder(names: readonly string[], choices: readonly string[], separator: string): readonly string[] {
  const longest = choices.map((choice, index) => ({ choice, index })).sort((a, b) => b.choice.length - a.choice.length);
  const isAlone = names.some((name) => choices.includes(name));
  const shownAt: string[] = [];
  const indexed = names.map((name) => {
    const values = longest.find(({ choice }) => (isAlone ? name === choice : name.endsWith(separator + choice)));
    const prefix = values ? name.slice(0, name.length - values.choice.length) : (shownAt.at(-1) ?? "");
    if (!shownAt.includes(prefix)) shownAt.push(prefix);
    return { name, shown: shownAt.indexOf(prefix), index: values?.index ?? choices.length };
  });
  return indexed.sort((a, b) => a.shown - b.shown || a.index - b.index).map(({ name }) => name);
}

/**
 * An Arquero table over columns, in their order, without copying values.
 *
 * @param columns column names with their columns, all of the same length
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

/** Attaches diagnostics to a table from `toTable()`. Returns the same table. */
export function withTableDiagnostics<T extends ColumnTable>(table: T, diagnostics: readonly Diagnostic[]): T {
  if (table instanceof ProvenTable) table.diagnostics = diagnostics;
  return table;
}

/** Attaches the provenance to a table from `toTable()`. Returns the same table. */
export function withProvenance<T extends ColumnTable>(table: T, provenance: Provenance): T {
  if (table instanceof ProvenTable) table.provenance = provenance;
  return table;
}

/** Attaches the possible values of columns to a table from `toTable()`. Returns the same table. */
export function withChoices<T extends ColumnTable>(table: T, choicesOf: ChoicesOf): T {
  if (table instanceof ProvenTable) table.choicesOf = choicesOf;
  return table;
}
