import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import { anything, checkOptions, date, type OptionRules, text, texts } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { ArrowLike } from "../tables/read/log-columns.js";

/** A column by its name, or a function of a row. */
export type ChangeField<Row> = string | ChangeValue<Row>;

/**
 * Takes a value from a row of a log.
 *
 * @param row as it was given; of tables an object with the value of each column
 * @param index its place, from 0
 */
export type ChangeValue<Row> = (row: Row, index: number) => unknown;

/** Rows of a log: objects, an Arquero or Arrow table, or the path of a file. */
export type ChangeRows<Row> = Iterable<Row> | ColumnTable | ArrowLike | string | URL;

/** Options of `fromChanges()`. A column is the name of one, or of rows at hand a function of a row. */
export interface FromChangesOptions<Row = Readonly<Record<string, unknown>>> {
  /** Column of the entity that was changed: numbers or texts. */
  readonly id: ChangeField<Row>;
  /** Column of the property that was changed. */
  readonly key?: ChangeField<Row> | undefined;
  /** Name of the only property, in place of `key`, where the log is about one. */
  readonly property?: string | undefined;
  /** Column of the new value; null where it was cleared. */
  readonly value: ChangeField<Row>;
  /**
   * Column of the time since which the value holds: `Date`s, ISO 8601 texts, Temporal's. A calendar date is its midnight. What
   * names no zone is of clocks in `timeZone`, which must be given then.
   */
  readonly time: ChangeField<Row>;
  /**
   * Column that orders insertion, which decides between changes of one time: numbers, or the times at which changes were
   * recorded, which `knownAt()` needs. The order of rows if absent.
   */
  readonly sequence?: ChangeField<Row> | undefined;
  /** Column of who made the change. */
  readonly user?: ChangeField<Row> | undefined;
  /** Column of the value before. It tells what was there before the first change; contradictions are a finding. */
  readonly previous?: ChangeField<Row> | undefined;
  /**
   * The entities with their present values: a table with a column called as `id` (or `entityId`), one row each. Changes of
   * others are left out, which is a finding. If absent, the entities are those that the log knows, and what its last changes
   * say is the present.
   */
  readonly entities?: Iterable<object> | ColumnTable | ArrowLike | string | URL | undefined;
  /** Column of the ids in `entities`; `id` if absent. */
  readonly entityId?: string | undefined;
  /** Column of `entities` with the time at which each was created. */
  readonly created?: string | undefined;
  /** How times are written in a file of CSV, as `strptime` has it: `"%d/%b/%y %I:%M %p"`. ISO 8601 if absent. */
  readonly timeFormat?: string | undefined;
  /** IANA time zone of times that name none, and in which calendar dates begin and end; for these UTC if absent. */
  readonly timeZone?: string | undefined;
  /** When the log was read; now if absent. What still holds ends there. */
  readonly readAt?: Date | undefined;
  /** Properties that the history is about; all if absent. */
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
  timeZone: text,
  readAt: date,
  columns: texts,
};

/** @throws ArgumentError for options that are not what `fromChanges()` takes */
export function checkChangesOptions<Row>(call: string, options: FromChangesOptions<Row>): void {
  checkOptions(call, options, rules);
  for (const option of ["id", "value", "time"] as const) requireField(call, option, options[option]);
  if (options.property === undefined)
    requireField(call, "key", options.key, "; or the option property, where there is one only");
  else if (options.key !== undefined) {
    throw new ArgumentError(`${call} takes the option key or the option property, not both.`);
  }
}

function requireField(call: string, option: string, field: unknown, or = ""): void {
  if ((typeof field === "string" && field !== "") || typeof field === "function") return;
  throw new ArgumentError(`${call} needs the option ${option}, got ${showValue(field)}.`, {
    hint: `Give the name of a column, or a function of a row${or}.`,
    facts: { option },
  });
}
