import type { ColumnTable } from "arquero";
import { US_PER_DAY } from "../../core/instant.js";
import { anything, flag, type OptionRules, texts } from "../../core/options.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import type { FoundTable } from "../cell/beyond-reading.js";
import { REASONS, stateOfCode } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumns, propertyNames } from "../columns/choose-columns.js";
import { decideCells } from "../join/decide-cells.js";
import { joinFindings } from "../join/join-findings.js";
import type { JoinableTable } from "../join/join-table.js";
import { type JoinTable, readJoinTable } from "../join/join-table.js";
import { type DecidedCells, JoinedColumn, type JoinedRows } from "../join/joined-column.js";
import { locateRows, type RowsByFeature, rowsByFeature } from "../join/locate-rows.js";
import type { TimePoint } from "../time/valid-time.js";
import { specify } from "./specification.js";

/** Options of `history.at()`. */
export interface AtOptions {
  /** The column of the table with the ids of features. */
  readonly id: string;
  /** The column with their times: `Date`s, instants, calendar dates; where its name ends with `_us`, microseconds since 1970. */
  readonly time: string;
  /** Property columns to add; all if absent. */
  readonly columns?: readonly string[];
  /**
   * Only what was known then: a time or the id of a change for all rows, or the name of a column that has one for each,
   * so that no row sees what was learned after it. All that is known now if absent.
   */
  readonly knownAt?: TimePoint;
  /** Whether `<column>.state` says how each value is known. */
  readonly state?: boolean;
  /** Whether `<column>.age_days` says how long before the row's time the value was set, in days of 24 hours. */
  readonly age?: boolean;
}

/** What it takes. */
const atRules: OptionRules<AtOptions> = {
  id: anything,
  time: anything,
  columns: texts,
  knownAt: anything,
  state: flag,
  age: flag,
};

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: AtOptions = { id: "", time: "" };

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * A point-in-time join: the rows of a table, each with the values of its feature at its time. Behind the table's own
     * columns stand the properties, each with `<column>.state` and `<column>.age_days` on request; an added column that is
     * called like one before it is `properties.<name>`. Rows without a known id or without a time have nulls, and the state
     * `unknown`: `findings` counts them. A row at the time of a change sees it.
     *
     * @param table an Arquero table (rows after its filter, in its order), an array of records, or a Danfo frame
     * @throws ArgumentError for columns that there are not, and values that are no times
     */
    at(table: JoinableTable, options: AtOptions): ColumnTable;
  }
}

export const atSpecification = specify({
  summary: "A point-in-time join: the rows of a table, each with the values of its feature at its time.",
  takes: ["table"],
  options: atRules,
  memory: at,
});

/** The rows of a table, each with its feature's values at its time. */
export function at(data: HistoryData, given: unknown, options: AtOptions = NOTHING): FoundTable {
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
    table: toTable([...table.columns, ...added.map(({ values }, place) => [names[place] as string, values] as const)]),
    findings: joinFindings(data, rows, lost),
  };
}

/** The rows of the table, and in the order of the index when that is wanted. */
interface OrderedRows {
  readonly rows: JoinedRows;
  readonly byFeature: () => RowsByFeature;
}

interface AddedColumn {
  readonly name: string;
  readonly values: Column;
}

/** What a table gets of one property; decided when one of it is read first. */
function columnsAt(
  data: HistoryData,
  column: number,
  { rows, byFeature }: OrderedRows,
  { state = false, age = false }: AtOptions,
): readonly AddedColumn[] {
  const name = data.names[column] as string;
  let decided: DecidedCells | undefined;
  const cells = () => {
    decided ??= decideCells(data, column, { rows, byFeature, withTimes: age });
    return decided;
  };
  const values = new JoinedColumn(cells, data.log.values, rows.features, data.columns[column]?.values ?? []);
  const { endUs } = rows.times;
  const each = <T>(at: (row: number) => T) => computedColumn(rows.length, at);
  const ageAt = (row: number) => {
    const days = ((endUs[row] ?? Number.NaN) - (cells().changedUs?.[row] ?? Number.NaN)) / US_PER_DAY;
    return Number.isFinite(days) ? days : null;
  };
  return [
    { name, values },
    ...(state
      ? [{ name: `${name}.state`, values: each((row) => stateOfCode((cells().codes[row] as number) - REASONS)) }]
      : []),
    ...(age ? [{ name: `${name}.age_days`, values: each(ageAt) }] : []),
  ];
}

/** As in every table that has columns of its own; an added column may be called like another added one, too. */
function addedNames({ columns }: JoinTable, added: readonly AddedColumn[]): readonly string[] {
  const taken = [...columns.keys()];
  return added.map(({ name }) => {
    const [free = name] = propertyNames([name], taken);
    taken.push(free);
    return free;
  });
}
