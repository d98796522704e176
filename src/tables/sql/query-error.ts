import { QueryError } from "../../core/errors.js";
import { withoutValues } from "./without-values.js";

/**
 * The error of a query that DuckDB rejected, with DuckDB's message without values of rows.
 *
 * @param hintFor returns how to fix a message, if known
 */
export function queryError(
  what: string,
  query: string,
  cause: unknown,
  hintFor: (message: string) => string | undefined,
): QueryError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [words = ""] = message.split("\n\n", 1);
  const redacted = withoutValues(words.replace(/\s+/g, " "), query);
  const hint = hintFor(message);
  return new QueryError(`${what}: ${redacted.text}`, {
    ...(redacted.isWhole ? { cause } : {}),
    facts: { query },
    ...(hint === undefined ? {} : { hint }),
  });
}

/** @throws QueryError for a query with a NUL character, at which DuckDB would stop reading */
export function refuseNul(query: string): void {
  const position = query.indexOf("\0");
  if (position < 0) return;
  throw new QueryError(`sql(): the query has a NUL character at position ${position}.`, {
    hint: "In strings, use chr(0) for a NUL character.",
  });
}
