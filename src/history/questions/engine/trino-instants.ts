import { trinoDialect } from "../sql/dialect/trino-dialect.js";
import type { TrinoColumn } from "./trino-page.js";

const INSTANT = /^timestamp(\(\d+\))? with time zone$/;

/** Whether a result has instants, which not every catalog can store. */
export function hasInstants(columns: readonly TrinoColumn[]): boolean {
  return columns.some(({ type }) => INSTANT.test(type));
}

/**
 * The statement with its instants as microseconds since 1970, as the tables of a snapshot have them.
 *
 * @param columns of its result
 */
export function withoutInstants(columns: readonly TrinoColumn[], statement: string): string {
  const list = columns.map(({ name, type }) => {
    const column = trinoDialect.identifier(name);
    return INSTANT.test(type) ? `${microseconds(column)} AS ${column}` : column;
  });
  return `SELECT ${list.join(", ")} FROM (\n${statement}\n) AS instants`;
}

/** Trino has no function for it that is exact: seconds from its clock, the rest from its digits. */
function microseconds(instant: string): string {
  const seconds = `CAST(to_unixtime(date_trunc('second', ${instant})) AS BIGINT)`;
  const rest = `CAST(regexp_extract(CAST(CAST(${instant} AS TIMESTAMP(6) WITH TIME ZONE) AS VARCHAR), '\\.(\\d{6})', 1) AS BIGINT)`;
  return `${seconds} * 1000000 + ${rest}`;
}
