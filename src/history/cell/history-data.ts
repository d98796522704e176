import type { Block } from "../../api/resources.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { Origin } from "../../core/provenance.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { ChangeIndex } from "../index/change-index.js";
import type { ChangeLog } from "../log/change-log.js";
import type { PlainPoint } from "../time/valid-time.js";
import type { FeatureRows } from "./feature-rows.js";

/** A column that was added to a layer. */
export interface AddedColumn {
  readonly values: Column;
  /** Unit of its numbers; undefined if unknown. */
  readonly unit: string | undefined;
}

/** The data that the methods of a history compute from. */
export interface HistoryData {
  readonly features: FeatureRows;
  /** The property columns of this history, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  /** Their names. */
  readonly names: readonly string[];
  /** Column of each key of the log; `NONE` if it was not chosen. */
  readonly columnOfKey: Int32Array;
  /** Changes of all properties, chosen or not. */
  readonly log: ChangeLog;
  /** Number of changes of the whole log, of which `log` may be the known part. */
  readonly changesInAll: number;
  /** Changes of `columns` by cell. */
  readonly index: ChangeIndex;
  /** Index of the whole log, if `log` is its known part. Only used to find out whether a cell was ever changed. */
  readonly fullIndex: ChangeIndex;
  /** The distinct values that a column ever had by the whole log. */
  readonly everLogged: (column: number) => readonly unknown[];
  /** The features whose cells in a column show their records, by the whole log. */
  readonly standing: (column: number) => StandingRows;
  /**
   * From when each feature exists, in microseconds since 1970: its creation, or the first change of any of its
   * properties if that was earlier. Infinity if the feature was not known yet.
   */
  readonly presentFromUs: Float64Array;
  /** When each feature was found to be deleted; Infinity if it exists. Undefined if all exist. */
  readonly presentUntilUs: Float64Array | undefined;
  /** From when all of them exist. */
  readonly allPresentUs: number;
  /** When the first one was found to be deleted. */
  readonly firstGoneUs: number;
  /** The blocks of the layer. */
  readonly blocks: readonly Block[];
  /** Diagnostics about the layer that do not depend on its values. */
  readonly layerDiagnostics: readonly Diagnostic[];
  /** Columns added with `derive()` and `lookup()`, the same on every date. */
  readonly added: ReadonlyMap<string, AddedColumn>;
  /** Length (m) or area (m²) of a geometry; null for an invalid geometry, or without such an extent. */
  readonly measure: (extent: "length" | "area", geometry: unknown) => number | null;
  /** Columns that answers omit, because the log has no data for them. */
  readonly lacks: ReadonlySet<string>;
  /** Origin of the features and their changes. */
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, if it is before the reading. It is the default end of answers. */
  readonly knownUntil: PlainPoint | undefined;
}

const NOTHING: Column = [];

/**
 * The features whose cells in a column show the non-null value of their records, because they were never changed. They
 * are the same on every date, so they are stored as one bit per row: most cells without a change are empty.
 */
export class StandingRows {
  readonly #offsets: Int32Array;
  readonly #values: Column;
  readonly #bits: Uint32Array;
  /** Which words of `#bits` are computed: readers of the first rows do not need all values. */
  readonly #isKnown: Uint8Array;

  /** @param index index of the whole log */
  constructor(index: ChangeIndex, column: number, values: Column) {
    this.#offsets = index.offsets.subarray(index.cell(0, column), index.cell(0, column + 1) + 1);
    this.#values = values;
    this.#bits = new Uint32Array((index.rowCount + 31) >>> 5);
    this.#isKnown = new Uint8Array(this.#bits.length);
  }

  /** Calls back for each of the rows from `first` to before `end`, in order. */
  forEach(first: number, end: number, use: (row: number) => void): void {
    for (let index = first >>> 5; 32 * index < end; index += 1) {
      if (this.#isKnown[index] === 0) this.#find(index);
      for (let left = this.#bits[index] as number; left !== 0; left &= left - 1) {
        const row = 32 * index + 31 - Math.clz32(left & -left);
        if (row >= first && row < end) use(row);
      }
    }
  }

  /** The value in the record of a row. */
  value(row: number): unknown {
    return this.#values.at(row) ?? null;
  }

  #find(index: number): void {
    const end = Math.min(32 * (index + 1), this.#offsets.length - 1);
    let word = 0;
    for (let row = 32 * index; row < end; row += 1) {
      const isUnchanged = this.#offsets[row] === this.#offsets[row + 1];
      if (isUnchanged && this.value(row) !== null) word |= 1 << (row & 31);
    }
    this.#bits[index] = word;
    this.#isKnown[index] = 1;
  }
}

/**
 * Returns the rows of each column, created on first use.
 *
 * @param index index of the whole log
 */
export function standingRows(index: ChangeIndex, columns: readonly PropertyColumn[]): (column: number) => StandingRows {
  const kept = new Map<number, StandingRows>();
  return (column) => {
    const standing = kept.get(column) ?? new StandingRows(index, column, columns[column]?.values ?? NOTHING);
    kept.set(column, standing);
    return standing;
  };
}
