import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { allIntervalsTable } from "../../history/questions/sql/tables/all-intervals.js";

/** A statement with the columns of every view of intervals, and without rows: it has no properties. */
export function emptyHistory(): string {
  return allIntervalsTable({
    dialect: duckdbDialect,
    filters: new Map(),
    hiddenDatasets: [],
    logSites: undefined,
    isNarrow: false,
    ids: undefined,
    columns: [],
    labels: [],
    knownUpTo: undefined,
  });
}
