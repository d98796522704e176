import { bigqueryDialect } from "./bigquery-dialect.js";
import type { Dialect } from "./dialect.js";
import { duckdbDialect } from "./duckdb-dialect.js";
import { sparkDialect } from "./spark-dialect.js";
import { trinoDialect } from "./trino-dialect.js";

/** The dialects by name. */
export const dialects = {
  duckdb: duckdbDialect,
  trino: trinoDialect,
  spark: sparkDialect,
  bigquery: bigqueryDialect,
} satisfies Readonly<Record<string, Dialect>>;

/** Engines whose SQL is written. */
export type DialectName = keyof typeof dialects;

/** All of them. */
export const dialectNames = Object.keys(dialects) as readonly DialectName[];
