import type { ColumnTable } from "arquero";
import { US_PER_DAY } from "../../core/instant.js";
import { anything, flag, type OptionRules, texts } from "../../core/options.js";
import { propertyValues } from "../../layer/name-columns.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { REASONS, stateOfCode } from "../cell/cell-state.js";
import type { FoundTable } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumns, propertyNames } from "../columns/choose-columns.js";
import { decideCells } from "../join/decide-cells.js";
import type { JoinableTable } from "../join/join-table.js";
import { type JoinTable, readJoinTable } from "../join/join-table.js";
import { type DecidedCells, JoinedColumn, type JoinedRows } from "../join/joined-column.js";
import { joinDiagnostics, locateRows, type RowsByFeature, rowsByFeature } from "../join/locate-rows.js";
import type { TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";

/** Options of `history.joinAsOf()`. */
export interface JoinAsOfOptions {
  /** Column of the table with the ids of features. */
  readonly id: string;
  /**
   * Column with the times: `Date`s, instants or calendar dates, or microseconds since 1970 if its name ends with `_us`.
   */
  readonly time: string;
  /** Property columns to add. Default: all. */
  readonly columns?: readonly string[];
  /**
   * Limits the join to what was known at a time or change id, or for each row at the time or change id in the named
   * column, so that no row uses later knowledge. Default: everything known now.
   */
  readonly knownAt?: TimePoint;
  /** Adds `<column>.state`: how each value is known. */
  readonly state?: boolean;
  /** Adds `<column>.age_days`: how long before the row's time the value was set, in days of 24 hours. */
  readonly age?: boolean;
}

/** Rules for the options. */
const joinAsOfRules: OptionRules<JoinAsOfOptions> = {
  id: anything,
  time: anything,
  columns: texts,
  knownAt: anything,
  state: flag,
  age: flag,
};

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: JoinAsOfOptions = { id: "", time: "" };

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the rows of a table, each with the values of its feature at its time (a point-in-time join).
     *
     * The properties follow the table's own columns, with `<column>.state` and `<column>.age_days` on request. An added
     * column whose name is already taken is called `properties.<name>`. Rows without a known id or without a time get
     * nulls and the state `unknown`; `diagnostics` counts them. A row at the time of a change has the new value.
     *
     * @param table an Arquero table (rows that pass its filter, in its order), an array of records, or a Danfo frame
     * @example
     * ```ts
     * const visits = [{ ticket: 101244, visited: "2024-01-20T10:00:00Z" }, { ticket: 101244, visited: "2024-01-23" }];
     * history.joinAsOf(visits, { id: "ticket", time: "visited", columns: ["STATUS"], age: true })
     * ```
     * @throws ArgumentError for missing columns and invalid times
     */
    joinAsOf(table: JoinableTable, options: JoinAsOfOptions): ColumnTable;
  }
}

export const joinAsOfSpecification = specify({
  summary: "Point-in-time join: the rows of a table with the values of their features at their times.",
  takes: ["table"],
  options: joinAsOfRules,
  memory: joinAsOf,
});

/** Joins the rows of a table with the values of their features at their times. */
export function joinAsOf(data: HistoryData, given: unknown, options: JoinAsOfOptions = NOTHING): FoundTable {
  const table = readJoinTable(given);
  const columns = chooseColumns(data.names, options.columns);
  const { rows, lost } = locateRows(data, table, options);
  let ordered: RowsByFeature | undefined;
  const byFeature = () => {
    ordered ??= rowsByFeature(rows, data.features.count);
    return ordered;
  };
  const added = columns.flatMap((column) => columnsAt(data, column, { rows, byFeature }, options));
  const names = addedNames(table, added);
  return {
    table: toTable([...table.columns, ...added.map(({ values }, index) => [names[index] as string, values] as const)]),
    diagnostics: joinDiagnostics(data, rows, lost),
  };
}

/** The rows of the table, and their order in the index if needed. */
interface OrderedRows {
  readonly rows: JoinedRows;
  readonly byFeature: () => RowsByFeature;
}

interface AddedColumn {
  readonly name: string;
  readonly values: Column;
}

/** The columns that one property adds; decided when the first of them is read. */
function columnsAt(
  data: HistoryData,
  column: number,
  { rows, byFeature }: OrderedRows,
  { state = false, age = false }: JoinAsOfOptions,
): readonly AddedColumn[] {
  const name = data.names[column] as string;
  const property = data.columns[column] as PropertyColumn;
  let decided: DecidedCells | undefined;
  const cells = () => {
    decided ??= decideCells(data, column, { rows, byFeature, withTimes: age });
    return decided;
  };
  const values = new JoinedColumn(cells, data.log.values, rows.features, property.values);
  const { endUs } = rows.times;
  const each = <T>(at: (row: number) => T) => computedColumn(rows.length, at);
  const ageAt = (row: number) => {
    const days = ((endUs[row] ?? Number.NaN) - (cells().changedUs?.[row] ?? Number.NaN)) / US_PER_DAY;
    return Number.isFinite(days) ? days : null;
  };
  return [
    { name, values: propertyValues(property, values) },
    ...(state
      ? [{ name: `${name}.state`, values: each((row) => stateOfCode((cells().codes[row] as number) - REASONS)) }]
      : []),
    ...(age ? [{ name: `${name}.age_days`, values: each(ageAt) }] : []),
  ];
}

/** As in every table with other columns. An added column may also collide with another added one. */
function addedNames({ columns }: JoinTable, added: readonly AddedColumn[]): readonly string[] {
  const taken = [...columns.keys()];
  return added.map(({ name }) => {
    const [free = name] = propertyNames([name], taken);
    taken.push(free);
    return free;
  });
}
