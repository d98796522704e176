import type { Dialect, DialectName } from "./dialect.js";
import { duckdbDialect } from "./duckdb-dialect.js";
import { sparkDialect } from "./spark-dialect.js";
import { trinoDialect } from "./trino-dialect.js";

/** The dialects by name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  duckdb: duckdbDialect,
  trino: trinoDialect,
  spark: sparkDialect,
};

/** Names of all dialects. */
export const dialectNames = Object.keys(dialects) as readonly DialectName[];
