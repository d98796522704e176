import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { type OptionRules, texts } from "../../core/options.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import { cellValue } from "../cell/cell-state.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { goneFromUs } from "../cell/present-rows.js";
import { chooseColumns, propertyNames } from "../columns/choose-columns.js";
import { specify } from "./define/specification.js";

/** Options of `history.versions()`. */
export interface VersionsOptions {
  /** Property columns to return. Default: all. A version ends when one of them changes. */
  readonly columns?: readonly string[];
}

const versionsRules: OptionRules<VersionsOptions> = { columns: texts };

/** A row of `history.versions()`. */
export interface VersionRow {
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** Start of the version; null if unknown. */
  readonly valid_from: CellValue;
  /** End, excluded; null if no change ends it. */
  readonly valid_to: CellValue;
  /** Whether it held when the log was read, or at the point of `knownAt()`. */
  readonly is_current: boolean;
  /** `valid_from` in microseconds since 1970. */
  readonly valid_from_us: CellValue;
  /** `valid_to` in microseconds since 1970. */
  readonly valid_to_us: CellValue;
  /** The properties, by name. */
  readonly [column: string]: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the features as a slowly changing dimension (type 2), one row per version, by feature, in order of time:
     * `id`, `visible_id`, the properties, `valid_from`, `valid_to` (excluded; null if no change ends it), `is_current`
     * (whether it held when the log was read, or at the point of `knownAt()`), `valid_from_us` and `valid_to_us` (both
     * times in microseconds).
     *
     * `valid_from` is null if the creation time is unknown. Unknown values before the first change are null. A property
     * with one of these names is called `properties.<name>`.
     *
     * @example
     * ```ts
     * const versions = history.versions({ columns: ["STATUS", "PRIORITY"] });
     * versions.select("visible_id", "STATUS", "PRIORITY", "valid_from", "is_current")
     * ```
     * @throws ArgumentError for a missing column
     */
    versions(options?: VersionsOptions): RowTable<VersionRow>;
  }
}

export const versionsSpecification = specify({
  summary: "Features as a slowly changing dimension, one row per version with valid_from, valid_to and is_current.",
  takes: [],
  options: versionsRules,
  memory: (data, options: VersionsOptions = {}) => ({ table: versions(data, options) }),
});

const ownColumns = ["id", "visible_id", "valid_from", "valid_to", "is_current", "valid_from_us", "valid_to_us"];

/** One row for each interval in which no property of a feature changed. */
function versions(data: HistoryData, options: VersionsOptions): ColumnTable {
  const { features, names } = data;
  const columns = chooseColumns(names, options.columns);
  const lists = columns.map((column) => intervalsOf(data, column));
  const { lastUs } = censoringTime(data, {});
  const versionRows = new Versions(lists, data);
  const { rows, fromUs, toUs } = versionRows;
  const shownNames = propertyNames(
    columns.map((column) => names[column] as string),
    ownColumns,
  );
  const each = <T>(get: (version: number) => T): Column<T> => computedColumn(rows.length, get);
  const time = <T>(us: number, show: (us: number) => T) => (Number.isFinite(us) ? show(us) : null);
  const same = (us: number) => us;
  return toTable([
    ...features.fields.leading.map((field) => {
      return [field, each((version) => features.base(field).at(rows.at(version)))] as const;
    }),
    ...columns.map((column, index) => {
      const decisions = versionRows.decisions[index] as GrowingArray<Int32Array>;
      const values = each((version) => cellValue(data, rows.at(version), column, decisions.at(version)));
      return [shownNames[index] as string, values] as const;
    }),
    ["valid_from", each((version) => time(fromUs.at(version), dateOf))],
    ["valid_to", each((version) => time(toUs.at(version), dateOf))],
    ["is_current", each((version) => fromUs.at(version) <= lastUs && lastUs < toUs.at(version))],
    ["valid_from_us", each((version) => time(fromUs.at(version), same))],
    ["valid_to_us", each((version) => time(toUs.at(version), same))],
  ]);
}

/** The versions of all features, which start with the intervals of any column. */
class Versions {
  readonly rows = new GrowingArray(Int32Array);
  readonly fromUs = new GrowingArray(Float64Array);
  /** Infinity while the version holds. */
  readonly toUs = new GrowingArray(Float64Array);
  /** The decisions of the cells, column by column. */
  readonly decisions: readonly GrowingArray<Int32Array>[];

  constructor(lists: readonly Intervals[], data: HistoryData) {
    const { presentFromUs } = data;
    this.decisions = lists.map(() => new GrowingArray(Int32Array));
    // Each list has the gapless intervals of a feature, from its beginning to its end.
    const indexes = lists.map(() => 0);
    for (let row = 0; row < presentFromUs.length; row += 1) {
      let from = presentFromUs[row] as number;
      const until = goneFromUs(data, row);
      while (from < until) {
        const ends = lists.map(({ toUs }, column) => toUs[indexes[column] as number] as number);
        const to = Math.min(until, ...ends);
        this.rows.push(row);
        this.fromUs.push(from);
        this.toUs.push(to);
        for (const [column, { decisions }] of lists.entries()) {
          this.decisions[column]?.push(decisions[indexes[column] as number] as number);
          if (ends[column] === to) indexes[column] = (indexes[column] as number) + 1;
        }
        from = to;
      }
    }
  }
}
