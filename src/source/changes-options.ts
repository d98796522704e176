import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import { anything, checkOptions, date, type OptionRules, text, texts } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { ArrowLike } from "../tables/read/log-columns.js";

/** The name of a column, or a function of a row. */
export type ChangeField<Row> = string | ChangeValue<Row>;

/**
 * Returns a value from a row of a log.
 *
 * @param row as passed; rows of tables are objects with the value of each column
 * @param index of the row, from 0
 */
export type ChangeValue<Row> = (row: Row, index: number) => unknown;

/** Rows of a log: objects, an Arquero or Arrow table, or the path of a file. */
export type ChangeRows<Row> = Iterable<Row> | ColumnTable | ArrowLike | string | URL;

/** Options of `fromChanges()`. A column is given by its name or, for rows in memory, by a function of a row. */
export interface FromChangesOptions<Row = Readonly<Record<string, unknown>>> {
  /** Column with the id of the changed entity: numbers or strings. */
  readonly id: ChangeField<Row>;
  /** Column with the name of the changed property. */
  readonly key?: ChangeField<Row> | undefined;
  /** Name of the only property, instead of `key`. */
  readonly property?: string | undefined;
  /** Column with the new value; null for cleared values. */
  readonly value: ChangeField<Row>;
  /**
   * Column with the time from which the value holds: `Date`s, ISO 8601 strings or Temporal objects. A calendar date is
   * its midnight. Times without a zone are in `timeZone`, which is required then.
   */
  readonly time: ChangeField<Row>;
  /**
   * Column with the insertion order, which decides between changes of the same time: numbers, or recording times, which
   * `knownAt()` needs. Default: the order of the rows.
   */
  readonly sequence?: ChangeField<Row> | undefined;
  /** Column with the user who made the change. */
  readonly user?: ChangeField<Row> | undefined;
  /** Column with the previous value. It gives the value before the first change; contradictions are a diagnostic. */
  readonly previous?: ChangeField<Row> | undefined;
  /**
   * The entities with their current values: a table with a column called as `id` (or `entityId`), one row per entity.
   * Changes of other entities are skipped, which is a diagnostic. Default: the entities of the log, with the values of
   * their last changes up to the time of reading.
   */
  readonly entities?: Iterable<object> | ColumnTable | ArrowLike | string | URL | undefined;
  /** Column of the ids in `entities`. Default: the name in `id`. */
  readonly entityId?: string | undefined;
  /** Column of `entities` with the creation time. */
  readonly created?: string | undefined;
  /** Format of times that are strings, as in `strptime`: `"%d/%b/%y %I:%M %p"`. Default: ISO 8601. */
  readonly timeFormat?: string | undefined;
  /** Delimiter of CSV files: one ASCII character. Default: comma, semicolon, tab or bar, whichever separates the columns. */
  readonly delimiter?: string | undefined;
  /** Encoding of CSV files, such as `"windows-1252"`. Default: UTF-8, or UTF-16 if the file has its byte order mark. */
  readonly encoding?: string | undefined;
  /** IANA time zone of times without a zone, and of calendar dates. Default for calendar dates: UTC. */
  readonly timeZone?: string | undefined;
  /** Time when the log was read, the end of open intervals. Default: now. */
  readonly readAt?: Date | undefined;
  /** Properties of the history. Default: all. */
  readonly columns?: readonly string[] | undefined;
}

const rules: OptionRules<FromChangesOptions> = {
  id: anything,
  key: anything,
  property: text,
  value: anything,
  time: anything,
  sequence: anything,
  user: anything,
  previous: anything,
  entities: anything,
  entityId: text,
  created: text,
  timeFormat: text,
  delimiter: text,
  encoding: text,
  timeZone: text,
  readAt: date,
  columns: texts,
};

/** @throws ArgumentError for invalid options */
export function checkChangesOptions<Row>(call: string, options: FromChangesOptions<Row>): void {
  checkOptions<object>(call, options, rules);
  // Callers without types may omit the options.
  const given: Partial<FromChangesOptions<Row>> = options ?? {};
  for (const option of ["id", "value", "time"] as const) requireField(call, option, given[option]);
  if (options.property === undefined)
    requireField(call, "key", options.key, ", or the option property if the log has only one property");
  else if (options.key !== undefined) {
    throw new ArgumentError(`${call}: the option key excludes the option property.`, { hint: "Pass one of them." });
  }
}

function requireField(call: string, option: string, field: unknown, or = ""): void {
  if ((typeof field === "string" && field !== "") || typeof field === "function") return;
  throw new ArgumentError(
    field === undefined
      ? `${call}: the option ${option} is missing.`
      : `${call}: invalid option ${option}: ${showValue(field)}.`,
    {
      hint: `Pass the name of a column or a function of a row${or}.`,
      facts: { option },
    },
  );
}
