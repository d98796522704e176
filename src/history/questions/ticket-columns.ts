// What the questions about tickets share: groups and due dates as of a time.
import type { Finding } from "../../core/finding.js";
import { parseInstant } from "../../core/instant.js";
import type { OptionRule } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { isBaseField } from "../../tables/read/feature-columns.js";
import { cellValue } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumn, propertyNames } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { ValueDictionary } from "../log/change-log.js";
import { isCalendarDate, resolveTimeLimit, type TimeLimit } from "../time/valid-time.js";

/** One name, or several. */
export const namesRule: OptionRule = {
  takes: "a name, or an array of names",
  accepts: (value) => (Array.isArray(value) ? value : [value]).every((name) => typeof name === "string" && name !== ""),
};

/** The value of a feature, by its row, as of a time. */
type ValueAt = (row: number, us: number) => unknown;

/**
 * Reads a base field, or a property as of each time.
 *
 * @throws ArgumentError for a name that is neither
 */
function valueReader(data: HistoryData, name: string): ValueAt {
  if (isBaseField(name)) {
    const values = data.features.base(name);
    return (row) => values.at(row) ?? null;
  }
  const column = chooseColumn(data.names, name);
  const { index } = data;
  return (row, us) => {
    const cell = index.cell(row, column);
    let place = index.end(cell) - 1;
    while (place >= index.start(cell) && (index.timesUs[place] as number) > us) place -= 1;
    return cellValue(data, row, column, place < index.start(cell) ? undecided(data, cell) : place);
  };
}

/** Groups by some columns together, in the order in which they came up. */
export class TicketGroups {
  /** Names of the columns, as they stand in a table that has others of its own. */
  readonly names: readonly string[];
  /** The values of each group, by code. */
  readonly values: (readonly unknown[])[] = [];
  readonly #readers: readonly ValueAt[];
  readonly #dictionary = new ValueDictionary();

  /** @param own names of the result's own columns */
  constructor(data: HistoryData, by: string | readonly string[] | undefined, own: readonly string[]) {
    const names = by === undefined ? [] : [...new Set([by].flat())];
    this.#readers = names.map((name) => valueReader(data, name));
    this.names = propertyNames(names, own);
    // The one group of all is there without a feature.
    if (names.length === 0) this.#code([]);
  }

  /** Code of the group of a feature as of a time. */
  code(row: number, us: number): number {
    if (this.#readers.length === 0) return 0;
    return this.#code(this.#readers.map((read) => read(row, us)));
  }

  #code(values: readonly unknown[]): number {
    const code = this.#dictionary.code(values);
    if (code === this.values.length) this.values.push(values);
    return code;
  }

  /** Codes of the groups in order of their values. */
  sorted(): readonly number[] {
    return [...this.values.keys()].sort((a, b) => {
      const [first, second] = [this.values[a] as readonly unknown[], this.values[b] as readonly unknown[]];
      return first.map((value, place) => compareValues(value, second[place])).find((order) => order !== 0) ?? 0;
    });
  }

  /** The columns that the groups add to a table whose rows have these codes. */
  columns(codes: ArrayLike<number>): (readonly [string, Column])[] {
    return this.names.map((name, place) => {
      return [name, Array.from(codes, (code) => this.values[code]?.[place] ?? null)] as const;
    });
  }
}

/** A due date: the last microsecond at which it is not too late, and from where lengths of time are counted. */
export interface Due extends TimeLimit {
  /** As it is given. */
  readonly value: unknown;
}

/** Due dates as of a time. */
export class DueDates {
  readonly #name: string;
  readonly #timeZone: string;
  readonly #read: ValueAt;
  readonly #known = new Map<unknown, TimeLimit | undefined>();
  readonly #odd = new Set<unknown>();
  #oddCount = 0;

  /** @throws ArgumentError for a column that there is not */
  constructor(data: HistoryData, name: string) {
    this.#name = name;
    this.#timeZone = data.timeZone;
    this.#read = valueReader(data, name);
  }

  /** What was due as of a time; undefined where nothing was. */
  due(row: number, us: number): Due | undefined {
    const value = this.#read(row, us);
    if (value === null || value === undefined || value === "") return undefined;
    if (!this.#known.has(value)) this.#known.set(value, this.#limit(value));
    const limit = this.#known.get(value);
    if (limit) return { value, ...limit };
    this.#odd.add(value);
    this.#oddCount += 1;
    return undefined;
  }

  /** A calendar date is due at its end; an instant without a zone is UTC. */
  #limit(value: unknown): TimeLimit | undefined {
    try {
      if (value instanceof Date || (typeof value === "string" && isCalendarDate(value))) {
        return resolveTimeLimit(value, this.#timeZone);
      }
    } catch {
      return undefined;
    }
    const us = typeof value === "string" ? parseInstant(value)?.us : undefined;
    return us === undefined ? undefined : { lastUs: us, endUs: us };
  }

  /** What could not be read. */
  findings(): readonly Finding[] {
    const [example] = this.#odd;
    if (this.#oddCount === 0) return [];
    return [
      {
        code: "type-mismatch",
        message: `${this.#oddCount} due dates in ${showValue(this.#name)} are none, for example ${showValue(example)}: they count as not given.`,
        count: this.#oddCount,
        facts: { column: this.#name },
      },
    ];
  }
}
