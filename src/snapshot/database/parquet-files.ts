import { literalPath, sqlList } from "../../tables/sql/sql-text.js";

/**
 * Returns Parquet files as an SQL relation, without columns from folder names.
 *
 * @param options further options of `read_parquet()`
 */
export function parquetFiles(paths: readonly string[], options: readonly string[] = []): string {
  return readParquet(paths, ["hive_partitioning = false", ...options]);
}

/** Columns and options of `siteFiles()`. */
interface SiteFilesOptions {
  /** Further columns, as SQL. */
  readonly columns?: readonly string[];
  /** Further options of `read_parquet()`. */
  readonly options?: readonly string[];
}

/** Matches the last folder of a path, which has the site of the rows. */
const SITE_FOLDER = String.raw`[/\\]site_id=([^/\\]+)[/\\][^/\\]+$`;

/** A `SELECT` of Parquet files that are stored by site, with `site_id` from the folder of each file. */
export function siteFiles(paths: readonly string[], { columns = [], options = [] }: SiteFilesOptions = {}): string {
  // DuckDB makes a column from every folder `key=value`, also above the snapshot, and replaces a column of the file.
  const isPartitioned = paths.every((path) => path.split("=").length === 2);
  if (isPartitioned) {
    const hive = ["hive_partitioning = true", "hive_types = {'site_id': BIGINT}"];
    return `SELECT ${["*", ...columns].join(", ")} FROM ${readParquet(paths, [...hive, ...options])}`;
  }
  const site = `TRY_CAST(regexp_extract(filename, '${SITE_FOLDER}', 1) AS BIGINT) AS site_id`;
  return `SELECT ${["*", site, ...columns].join(", ")} FROM ${parquetFiles(paths, options)}`;
}

function readParquet(paths: readonly string[], options: readonly string[]): string {
  return `read_parquet(${[sqlList(paths.map(literalPath)), ...options].join(", ")})`;
}
