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

/** A table that may say where its values come from, and so may every table that Arquero's verbs make of it. */
class ProvenTable extends ColumnTable {
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
    return table;
  }

  override array(name: string, kind?: Parameters<ColumnTable["array"]>[1]): ReturnType<ColumnTable["array"]> {
    const column: unknown = this.column(name);
    const isPlain = kind === undefined || kind === Array;
    if (isPlain && isWhole(column) && !this.isFiltered() && !this.isOrdered()) return column.allValues();
    return super.array(name, kind);
  }
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
