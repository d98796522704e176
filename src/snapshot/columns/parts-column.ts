import type { Column } from "../../tables/column/column.js";
import { noTypes, type TypeCounts } from "../../tables/column/count-types.js";
import type { RowMap } from "./row-map.js";
import type { StoredColumn } from "./stored-column.js";

/** One column over the parts of a table. Values are read from the files when they are asked for. */
export class PartsColumn implements Column {
  readonly length: number;
  readonly #parts: readonly (StoredColumn | undefined)[];
  readonly #rows: RowMap;
  #counts: TypeCounts | undefined;

  /** @param parts the column of each part; undefined where no record of the part has the member */
  constructor(parts: readonly (StoredColumn | undefined)[], rows: RowMap) {
    this.length = rows.length;
    this.#parts = parts;
    this.#rows = rows;
  }

  at(row: number): unknown {
    if (!(row >= 0 && row < this.length)) return undefined;
    return this.#rows.find(row, (part, place) => this.#parts[part]?.at(place) ?? null);
  }

  /** Microseconds since 1970 of a timestamp; NaN where the value is none. */
  us(row: number): number {
    return this.#rows.find(row, (part, place) => this.#parts[part]?.us(place) ?? Number.NaN);
  }

  /** Rows of parts that do not hold microseconds, which only texts of existing instants in one form become. */
  rowsWithoutForm(): Iterable<number> {
    const isFormed = this.#parts.every(
      (part) => part === undefined || part.entry.kind === "instant" || isEmpty(part.entry.counts),
    );
    return isFormed ? [] : Array.from({ length: this.length }).keys();
  }

  countTypes(): TypeCounts {
    this.#counts ??= this.#count();
    return this.#counts;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  #count(): TypeCounts {
    const counts = noTypes();
    let counted = 0;
    for (const [part, column] of this.#parts.entries()) {
      if (!column) continue;
      const selected = this.#rows.selected[part];
      if (selected) for (const row of selected) counts[column.typeAt(row)] += 1;
      else
        for (const type of ["null", "boolean", "number", "string", "json"] as const)
          counts[type] += column.entry.counts[type];
      counted += selected?.length ?? totalOf(column.entry.counts);
    }
    counts.null += this.length - counted;
    return counts;
  }
}

function isEmpty(counts: TypeCounts): boolean {
  return totalOf(counts) === counts.null;
}

function totalOf(counts: TypeCounts): number {
  return counts.null + counts.boolean + counts.number + counts.string + counts.json;
}
