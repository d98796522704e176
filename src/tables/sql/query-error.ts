import { QueryError } from "../../core/errors.js";

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

/** A message without data. */
export interface ShownMessage {
  readonly text: string;
  /** Whether nothing was removed. */
  readonly isWhole: boolean;
}

/** Errors about the statement, memory and files, whose messages quote no values of rows. */
const ABOUT_THE_STATEMENT = /^(?:Parser|Binder|Catalog|IO|HTTP|Permission|Dependency|Out of Memory|INTERRUPT) Error\b/i;

/** Words in DuckDB's and Trino's messages about values. */
const words = new Set(
  `a according add aggregate an and another any are argument because arguments array as at base base64 be bigger bit blob byte bytes by
  can can't cannot cast casting causes character characters code column columns connection consistent constant constraint
  conversion convert could create date datetime day decimal decode destination did different digit dimension division does double
  duplicate element elements empty encountered end entries entry enum epoch error escape exceeds expected expression extract
  failed failure field fields first float for format formatting found from function geometry greater group has have hex hour
  implemented in index infinite infinity input insert integer integers internal interval into invalid is it json key keys large
  larger least length less limit list logarithm longer lower map match maximum member mismatch missing more malformed month multiple
  multiplication must nan negative no non not null number numeric of offset on one only operation operator or out overflow
  parameter parse parser part pattern point position positive precision primary quantile query range read recognized regex regular
  required requires result return returned returns row rows same scalar scalars scale second seconds should single size small smaller source
  specifier square root string struct subquery subtraction supported take than that the this time timestamp timestamptz
  timezone to too transaction true false type types unable unequal unexpected union unique unknown unsigned unterminated up
  upper used valid value values varchar violated violates violation was when which with within without year zero zone
  ascii hugeint int int8 int16 int32 int64 int128 uint8 uint16 uint32 uint64 uint128 tinyint smallint bigint utinyint
  usmallint uinteger ubigint uhugeint bool boolean uuid yyyy mm dd hh ss us timestamp_s timestamp_ms timestamp_ns
  cast try_cast real varbinary`.split(/\s+/),
);

/** Statements that create names of columns and types from values. */
const VALUES_AS_NAMES = /\b(?:PIVOT|PIVOT_WIDER|ENUM)\b/i;
const CAST_COLUMN = /^(Conversion Error.*)( when casting from source column (.*))$/s;
const QUOTED = /"[^"]*"|'[^']*'/g;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_@.'’+-]*/gu;
const REMOVED = /(["'(]*)…(?:[^\p{L}\p{N}]*…)*(["')]*)/gu;

/**
 * The message of a database without values of rows. Messages about values keep their words, types, the names of
 * columns, and parts of the query; `…` replaces the rest.
 *
 * @param query as the caller wrote it; empty if it is not the caller's
 */
export function withoutValues(message: string, query: string): ShownMessage {
  if (ABOUT_THE_STATEMENT.test(message) && !VALUES_AS_NAMES.test(query)) return { text: message, isWhole: true };
  const [head, column] = withoutCast(message, query);
  const typed = new Set(Array.from(query.match(WORD) ?? [], bareWord));
  const isTyped = (quoted: string) => ["'", '"'].some((mark) => query.includes(`${mark}${quoted.slice(1, -1)}${mark}`));
  const isShown = (word: string) => /^\d$/.test(word) || words.has(word) || typed.has(word);
  const cleaned = head
    .replace(QUOTED, (quoted) => (isTyped(quoted) ? quoted : "…"))
    .replace(WORD, (word) => {
      const bare = bareWord(word);
      return isShown(bare) || bare.split(/[-.]/).every(isShown) ? word : "…";
    })
    .replace(REMOVED, "…");
  const text = cleaned + column;
  return { text, isWhole: text === message };
}

/** The message of a failed conversion, and the column at its end if the query contains it, too. */
function withoutCast(message: string, query: string): readonly [head: string, column: string] {
  const [, head = message, column = "", name = ""] = CAST_COLUMN.exec(message) ?? [];
  return query.toLowerCase().includes(name.toLowerCase()) ? [head, column] : [message, ""];
}

function bareWord(word: string): string {
  return word.toLowerCase().replace(/[.'’-]+$/, "");
}
