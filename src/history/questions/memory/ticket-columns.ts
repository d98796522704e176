// Shared by the questions about tickets: groups and due dates as of a time, counts by them, and known lengths.

import { upperBound } from "../../../core/binary-search.js";
import { counted } from "../../../core/counted.js";
import { type Diagnostic, withSeverity } from "../../../core/diagnostic.js";
import { parseInstant } from "../../../core/instant.js";
import type { OptionRule } from "../../../core/options.js";
import { showTimeOrNumber } from "../../../core/show-record-value.js";
import { showValue } from "../../../core/show-value.js";
import { type Column, computedColumn } from "../../../tables/column/column.js";
import { requireRows } from "../../answer-size.js";
import { cellValue } from "../../cell/cell-state.js";
import { undecided } from "../../cell/deciding-changes.js";
import type { HistoryData } from "../../cell/history-data.js";
import { constantColumn, constantNames } from "../../columns/added-columns.js";
import { chooseColumn, propertyNames } from "../../columns/choose-columns.js";
import { compareValues } from "../../columns/step-order.js";
import { ValueDictionary } from "../../log/change-log.js";
import type { TimeUnit } from "../../time/time-unit.js";
import { isCalendarPeriod, resolveTimeLimit, type TimeLimit } from "../../time/valid-time.js";

/** One name, or several. */
export const namesRule: OptionRule = {
  takes: "a name, or an array of names",
  accepts: (value) => (Array.isArray(value) ? value : [value]).every((name) => typeof name === "string" && name !== ""),
};

/** Length of time for sums; 0 if the start is unknown or the end is missing. */
export function knownLength({ length }: TimeUnit, fromUs: number, toUs: number): number {
  return Number.isFinite(toUs - fromUs) ? length(fromUs, toUs) : 0;
}

/** Values of features by row, as codes. */
interface CodedValues {
  /** The values, by code. */
  readonly values: readonly unknown[];
  /** Code of a feature's value as of a time; `untilUs` is then the end (excluded) of its interval. */
  code(row: number, us: number): number;
  untilUs: number;
}

const [FREE, NEVER] = [-1, Number.POSITIVE_INFINITY];

/**
 * Reads a base field, a property as of each time, or a column that was added to the layer or the history.
 *
 * @throws ArgumentError for an unknown name
 */
function codedValues(data: HistoryData, name: string): CodedValues {
  const constant = constantColumn(data, name);
  if (constant) return constantValues(constant, data.features.count);
  const column = chooseColumn(data.names, name, constantNames(data));
  const { index, log } = data;
  const dictionary = new ValueDictionary();
  const codeOfLogged = new Int32Array(log.values.length).fill(FREE);
  const logged = (position: number) => {
    const value = index.valueCodes[position] as number;
    if (codeOfLogged[value] === FREE) codeOfLogged[value] = dictionary.code(log.values[value]);
    return codeOfLogged[value] as number;
  };
  return {
    values: dictionary.values,
    untilUs: NEVER,
    code(row, us) {
      const cell = index.cell(row, column);
      const [start, end] = [index.start(cell), index.end(cell)];
      const next = upperBound(index.timesUs, us, start, end);
      this.untilUs = next < end ? (index.timesUs[next] as number) : NEVER;
      return next > start ? logged(next - 1) : dictionary.code(cellValue(data, row, column, undecided(data, cell)));
    },
  };
}

/** Values that do not change. */
function constantValues(column: Column, count: number): CodedValues {
  const dictionary = new ValueDictionary();
  const codes = new Int32Array(count).fill(FREE);
  return {
    values: dictionary.values,
    untilUs: NEVER,
    code(row) {
      if (codes[row] === FREE) codes[row] = dictionary.code(column.at(row));
      return codes[row] as number;
    },
  };
}

/** More values than a column can have: two codes make one number. */
const MOST_VALUES = 2 ** 26;

/** Groups by several columns, in order of first occurrence. */
export class TicketGroups {
  /** Names of the columns, adjusted to a table with other columns. */
  readonly names: readonly string[];
  /** End of the interval of the group that `code()` returned last. */
  untilUs = NEVER;
  readonly #columns: readonly CodedValues[];
  /** For each column, the code of the columns up to it, by the code of the previous ones and its own. */
  readonly #codes: readonly Map<number, number>[];
  /** The codes of each group's values. */
  readonly #members: (readonly number[])[] = [];

  /** @param ownNames names of the result's own columns */
  constructor(data: HistoryData, by: string | readonly string[] | undefined, ownNames: readonly string[]) {
    const names = by === undefined ? [] : [...new Set([by].flat())];
    this.#columns = names.map((name) => codedValues(data, name));
    this.#codes = names.map(() => new Map());
    this.names = propertyNames(names, ownNames);
    // The single group exists even without features.
    if (names.length === 0) this.#members.push([]);
  }

  /** Number of groups so far. */
  get count(): number {
    return this.#members.length;
  }

  /** Code of the group of a feature as of a time. */
  code(row: number, us: number): number {
    let [group, untilUs] = [0, NEVER];
    for (let index = 0; index < this.#columns.length; index += 1) {
      const column = this.#columns[index] as CodedValues;
      const codes = this.#codes[index] as Map<number, number>;
      const key = group * MOST_VALUES + column.code(row, us);
      untilUs = Math.min(untilUs, column.untilUs);
      const cached = codes.get(key);
      group = cached ?? codes.size;
      if (cached !== undefined) continue;
      codes.set(key, group);
      if (index === this.#columns.length - 1) this.#members.push(this.#columns.map((each) => each.code(row, us)));
    }
    this.untilUs = untilUs;
    return group;
  }

  #value(group: number, index: number): unknown {
    const code = this.#members[group]?.[index];
    return code === undefined ? null : this.#columns[index]?.values[code];
  }

  /** Codes of the groups in order of their values. */
  sorted(): readonly number[] {
    const indexes = this.names.map((_, index) => index);
    return [...this.#members.keys()].sort((a, b) => {
      const orders = indexes.map((index) => compareValues(this.#value(a, index), this.#value(b, index)));
      return orders.find((order) => order !== 0) ?? 0;
    });
  }

  /** The columns that the groups add to a table whose rows have these codes. */
  columns(codes: ArrayLike<number>): (readonly [string, Column])[] {
    return this.names.map((name, index) => {
      return [name, computedColumn(codes.length, (row) => this.#value(codes[row] as number, index) ?? null)] as const;
    });
  }
}

/** The rows of an answer with counts by group. */
interface GroupRows {
  /** The call as users write it: `aging()`. */
  readonly call: string;
  /** Rows per group. */
  readonly rows: number;
  /** The parameter to reduce, for the message about too many rows. */
  readonly fewer: string;
}

/**
 * Counts by kind (a number), group and index of a date or interval. Counts that last for a while are stored as
 * differences between consecutive indices.
 */
export class GroupCounts {
  readonly #length: number;
  readonly #things: number;
  readonly #answer: GroupRows;
  readonly #groups: Int32Array[] = [];
  #groupCount = 0;

  /** @throws ArgumentError if the rows of one group are too many for an answer */
  constructor(indexCount: number, things: number, answer: GroupRows) {
    this.#length = indexCount + 1;
    this.#things = things;
    this.#answer = answer;
    this.#require(1);
  }

  /** @throws ArgumentError if the rows of all groups are too many for an answer */
  add(thing: number, group: number, index: number, count = 1): void {
    const counts = this.#groups[group] ?? this.#enter(group);
    const at = thing * this.#length + index;
    counts[at] = (counts[at] as number) + count;
  }

  #enter(group: number): Int32Array {
    this.#groupCount += 1;
    this.#require(this.#groupCount);
    const counts = new Int32Array(this.#things * this.#length);
    this.#groups[group] = counts;
    return counts;
  }

  #require(groups: number): void {
    const { call, rows, fewer } = this.#answer;
    requireRows(call, groups * rows, fewer);
  }

  /** Counts one at the indices from `first` to before `end`. */
  stand(thing: number, group: number, first: number, end: number): void {
    if (first >= end) return;
    this.add(thing, group, first);
    this.add(thing, group, end, -1);
  }

  /** Amounts added by `add()`, by index. */
  added(thing: number, group: number): Int32Array {
    const start = thing * this.#length;
    const counts = this.#groups[group] ?? new Int32Array(this.#things * this.#length);
    return counts.subarray(start, start + this.#length - 1);
  }

  /** Amounts added by `stand()`, by index. */
  standing(thing: number, group: number): Int32Array {
    let sum = 0;
    return this.added(thing, group).map((change) => {
      sum += change;
      return sum;
    });
  }
}

/** A due date: its last microsecond, and the start for lengths of time. */
export interface Due extends TimeLimit {
  /** The date as given. */
  readonly value: unknown;
}

/** Due dates as of a time. */
export class DueDates {
  readonly #name: string;
  readonly #timeZone: string;
  readonly #column: CodedValues;
  readonly #dueOf = new Map<unknown, Due | undefined>();
  readonly #odd = new Set<unknown>();
  #oddCount = 0;

  /** @throws ArgumentError for a missing column */
  constructor(data: HistoryData, name: string) {
    this.#name = name;
    this.#timeZone = data.timeZone;
    this.#column = codedValues(data, name);
  }

  /** End (excluded) of the interval in which the due date as of a time stays the same. */
  untilUs(row: number, us: number): number {
    this.#column.code(row, us);
    return this.#column.untilUs;
  }

  /**
   * The due date as of a time; undefined for none.
   *
   * @param times how many items the date counts for
   */
  due(row: number, us: number, times = 1): Due | undefined {
    const value = this.#column.values[this.#column.code(row, us)];
    if (value === null || value === undefined || value === "") return undefined;
    if (!this.#dueOf.has(value)) this.#dueOf.set(value, this.#due(value));
    const due = this.#dueOf.get(value);
    if (due) return due;
    this.#odd.add(value);
    this.#oddCount += times;
    return undefined;
  }

  #due(value: unknown): Due | undefined {
    const limit = this.#limit(value);
    return limit && { value, ...limit };
  }

  /** A calendar date or week is due at its end; an instant without a zone is UTC. */
  #limit(value: unknown): TimeLimit | undefined {
    try {
      if (value instanceof Date || (typeof value === "string" && isCalendarPeriod(value))) {
        return resolveTimeLimit(value, this.#timeZone);
      }
    } catch {
      return undefined;
    }
    const us = typeof value === "string" ? parseInstant(value)?.us : undefined;
    return us === undefined ? undefined : { lastUs: us, endUs: us };
  }

  /** Diagnostics about unreadable due dates. */
  diagnostics(): readonly Diagnostic[] {
    const [example] = this.#odd;
    if (this.#oddCount === 0) return [];
    return [
      withSeverity({
        code: "value-type-mismatch",
        message: `${counted(this.#oddCount, "invalid due date")} in ${showValue(this.#name)}, for example ${showTimeOrNumber(example)}. Such dates count as missing.`,
        count: this.#oddCount,
        facts: { column: this.#name },
      }),
    ];
  }
}
