import { ArgumentError } from "../../core/errors.js";
import { withoutValues } from "./without-values.js";

/**
 * The error of a query that DuckDB refused, in its own words, without values of rows.
 *
 * @param hintFor what to do about a message, if anything is known
 */
export function queryError(
  what: string,
  query: string,
  cause: unknown,
  hintFor: (message: string) => string | undefined,
): ArgumentError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [words = ""] = message.split("\n\n", 1);
  const shown = withoutValues(words.replace(/\s+/g, " "), query);
  const hint = hintFor(message);
  return new ArgumentError(`${what}: ${shown.text}`, {
    ...(shown.isWhole ? { cause } : {}),
    facts: { query },
    ...(hint === undefined ? {} : { hint }),
  });
}

/** @throws ArgumentError for a query that holds a NUL character, behind which DuckDB would not read on */
export function refuseNul(query: string): void {
  const position = query.indexOf("\0");
  if (position < 0) return;
  throw new ArgumentError(`The query holds a NUL character at position ${position}.`, {
    hint: "Write chr(0) for a NUL character in a string.",
  });
}
