import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { anything, type OptionRules, oneOf, text } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import { censoringTime } from "../cell/censoring-time.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnValues, requireHeld, setOfCell, valueList } from "../cell/value-sets.js";
import { constantColumn, constantNames } from "../columns/added-columns.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { groupColumn } from "../grid/group-codes.js";
import { ValueDictionary } from "../log/change-log.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { kaplanMeier, medianTime, type SurvivalStep } from "./memory/kaplan-meier.js";

/** A period from when a feature took one of some values until it reached one of others, or was last seen. */
interface Spell {
  /** Row of the feature. */
  readonly row: number;
  /** When it began, in microseconds since 1970; if unknown, the earliest possible time, or −Infinity. */
  readonly beganUs: number;
  /** When observation starts: its beginning, or the first change in the log. */
  readonly seenUs: number;
  readonly endUs: number;
  /** Its last microsecond; if it is cut at a calendar date, the microsecond before `endUs`. */
  readonly lastUs: number;
  /** Whether it ended by reaching a value; else it was still open at its end. */
  readonly isEvent: boolean;
}

/** A spell that has not ended yet. */
type OpenSpell = Pick<Spell, "row" | "beganUs" | "seenUs">;

/** Options of `history.survival()`. */
export interface SurvivalOptions extends CalendarOption {
  /** The value, or an array of values, that starts a spell when a feature takes it. */
  readonly start: unknown;
  /** The value, or an array of values, that ends a spell as an event when a feature reaches it. */
  readonly done: unknown;
  /** A base field, a property, or a column added with `derive()` to group by. */
  readonly by?: string;
  /**
   * The time of the property value for grouping: `"beginning"` is when a spell comes under observation, `"end"` is when
   * it ends. Default: `"beginning"`. Grouping by a property that is set late biases the curve, because only long spells
   * last long enough to get it.
   */
  readonly groupAt?: "beginning" | "end";
  /** Confidence level of the bands and of the limits of medians, between 0 and 1. Default: 0.95. */
  readonly confidence?: number;
  /**
   * Time at which open spells are cut. Default: `until` of the history. A value reached at this very instant counts, as
   * in `asOf`. A calendar date counts to its end.
   */
  readonly until?: TimePoint;
  /**
   * How to treat spells with an unknown start, whose first value is the first in the log. `"creation"` counts them
   * from the creation of the feature, at risk from that first change on (left truncation). `"drop"` leaves them out.
   * Default: `"creation"`.
   */
  readonly unknownStart?: "creation" | "drop";
}

/** Rules for the options. */
export const survivalRules: OptionRules<SurvivalOptions> = {
  start: columnValues("that begins a spell"),
  done: columnValues("whose reaching ends a spell"),
  by: text,
  groupAt: oneOf("beginning", "end"),
  confidence: {
    takes: "a number above 0 and below 1",
    schema: { type: "number" },
    accepts: (value) => typeof value === "number" && value > 0 && value < 1,
  },
  until: anything,
  unknownStart: oneOf("creation", "drop"),
  calendar: calendarRule,
};

/** A survival curve for each group, as steps. */
export interface Survival extends ColumnTable {
  /**
   * Medians by group: `spells`, `events`, `censored`, `late` (left-truncated spells), `left_out` (not included in
   * `spells`), `median_days`, `lower_days`, `upper_days`; null if a curve does not fall to a half.
   */
  readonly medians: ColumnTable;
  /**
   * Diagnostics: the number of spells that are left-truncated or left out, and times at which no spell was observed.
   */
  readonly diagnostics: readonly Diagnostic[];
}

/** The spells of a group, and their curve. */
interface Curve {
  readonly group: unknown;
  readonly kept: readonly Spell[];
  readonly leftOut: number;
  readonly steps: readonly SurvivalStep[];
}

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: SurvivalOptions = { start: [], done: [] };

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns Kaplan-Meier survival curves for the time from one value to another, open spells included: `days` since
     * the beginning (of 24 hours), `at_risk`, `entered`, `events`, `censored`, `survival` (share that has not reached
     * the end value), `lower`, `upper`. `by` adds a column of its name before them. With `calendar`, days are working
     * days. `medians` of the table has the medians.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const survival = history.survival("STATUS", { start: "OPEN", done: "CLOSED" });
     * survival.select("days", "at_risk", "events", "censored", "survival", "lower", "upper")
     * ```
     * @throws ArgumentError also for values that no feature ever had
     */
    survival(column: string, options: SurvivalOptions): Survival;
  }
}

export const survivalSpecification = specify({
  summary: "Time from one value of a column to another, including open spells (Kaplan-Meier).",
  takes: ["column"],
  options: survivalRules,
  time: (_: string, options?: SurvivalOptions) => options?.until,
  parts: ["medians"],
  memory: (data, column: string, options: SurvivalOptions = NOTHING) => {
    const table = survival(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Kaplan-Meier curves of the time from one value to another. */
export function survival(data: HistoryData, name: string, options: SurvivalOptions = NOTHING): Survival {
  const { by, confidence = 0.95 } = options;
  const column = chooseColumn(data.names, name);
  const [from, to] = [valueList(options.start), valueList(options.done)];
  const unreached = [...requireHeld(data, column, "start", from), ...requireHeld(data, column, "done", to)];
  const spells = spellsOf(data, column, { from, to }, censoringTime(data, options));
  const groups = grouped(spells, groupOf(data, options));
  const unit = dayUnit(givenCalendar(options));
  const curves = groups.map(([group, spellsOfGroup]): Curve => {
    const kept = spellsOfGroup.filter((spell) => isKept(spell, options) && isObserved(spell, unit));
    const steps = kaplanMeier(
      kept.map((spell) => observation(spell, unit)),
      confidence,
    );
    return { group, kept, leftOut: spellsOfGroup.length - kept.length, steps };
  });
  const unobserved = spells.filter((spell) => isKept(spell, options) && !isObserved(spell, unit)).length;
  return Object.assign(stepsTable(curves, by, unit), {
    medians: mediansTable(curves, by, unit),
    diagnostics: [
      ...unreached,
      ...beginningDiagnostics(curves, unobserved),
      ...unobservedDiagnostic(unobserved),
      ...gapDiagnostic(curves),
    ],
  });
}

/**
 * The spells of a column, by feature in order of time. Values that neither start nor end a spell leave it open, and so
 * does taking a start value again.
 *
 * @param limit time at which open spells are cut
 */
function spellsOf(
  data: HistoryData,
  column: number,
  { from, to }: { readonly from: readonly unknown[]; readonly to: readonly unknown[] },
  limit: TimeLimit,
): readonly Spell[] {
  const intervals = intervalsOf(data, column);
  const setOf = setOfCell(data, column, { start: from, done: to });
  const spells: Spell[] = [];
  let open: OpenSpell | undefined;
  let lastToUs = 0;
  const close = (end: TimeLimit, isEvent: boolean) => {
    if (open) spells.push({ ...open, ...end, isEvent });
    open = undefined;
  };
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const row = intervals.rows[interval] as number;
    const fromUs = intervals.fromUs[interval] as number;
    if (open && open.row !== row) close(cutAt(limit, lastToUs), false);
    lastToUs = intervals.toUs[interval] as number;
    if (fromUs > limit.lastUs) continue;
    const set = setOf(row, intervals.decisions[interval] as number);
    if (set === "start") open ??= { row, ...beginning(intervals, interval) };
    else if (set === "done") close({ lastUs: fromUs, endUs: fromUs }, true);
  }
  close(cutAt(limit, lastToUs), false);
  return spells;
}

/** The end of an open spell: the limit, or the time at which its feature was deleted. */
function cutAt({ lastUs, endUs }: TimeLimit, goneUs: number): TimeLimit {
  return { lastUs: Math.min(lastUs, goneUs), endUs: Math.min(endUs, goneUs) };
}

function beginning({ rows, decisions, fromUs }: Intervals, interval: number): Pick<Spell, "beganUs" | "seenUs"> {
  const seenUs = fromUs[interval] as number;
  const isAfterUnknown = rows[interval - 1] === rows[interval] && decisions[interval - 1] === UNKNOWN;
  // The value before is unknown, so this one may hold since the feature was created.
  return { beganUs: isAfterUnknown ? (fromUs[interval - 1] ?? seenUs) : seenUs, seenUs };
}

function isKept({ beganUs, seenUs }: Spell, { unknownStart: unknown }: SurvivalOptions): boolean {
  return beganUs === seenUs ? Number.isFinite(beganUs) : unknown !== "drop" && Number.isFinite(beganUs);
}

/**
 * Excludes left-truncated spells that reached a value before any time passed (with a calendar, outside working hours):
 * they were never at risk.
 */
function isObserved({ beganUs, seenUs, endUs, isEvent }: Spell, { length }: TimeUnit): boolean {
  return !isEvent || length(beganUs, seenUs) === 0 || length(seenUs, endUs) > 0;
}

function observation({ beganUs, seenUs, endUs, isEvent }: Spell, { length }: TimeUnit) {
  return { entry: length(beganUs, seenUs), exit: length(beganUs, endUs), isEvent };
}

/** The group of a spell; a single group without `by`. */
function groupOf(data: HistoryData, { by, groupAt }: SurvivalOptions): (spell: Spell) => unknown {
  if (by === undefined) return () => null;
  const values = constantColumn(data, by);
  if (values) {
    return ({ row }) => values.at(row) ?? null;
  }
  const column = chooseColumn(data.names, by, constantNames(data));
  const { index } = data;
  return ({ row, seenUs, lastUs }) => {
    const us = groupAt === "end" ? lastUs : seenUs;
    const cell = index.cell(row, column);
    return cellValue(data, row, column, index.lastUpTo(cell, us) ?? undecided(data, cell));
  };
}

function grouped(spells: readonly Spell[], of: (spell: Spell) => unknown): readonly (readonly [unknown, Spell[]])[] {
  const dictionary = new ValueDictionary();
  const groups: Spell[][] = [];
  for (const spell of spells) {
    const code = dictionary.code(of(spell));
    const group = groups[code];
    if (group) group.push(spell);
    else groups[code] = [spell];
  }
  return groups
    .map((ofGroup, code) => [dictionary.values[code], ofGroup] as const)
    .sort(([a], [b]) => compareValues(a, b));
}

const stepColumns = ["days", "at_risk", "entered", "events", "censored", "survival", "lower", "upper"];

function stepsTable(curves: readonly Curve[], by: string | undefined, { whole }: TimeUnit): ColumnTable {
  const rows = curves.flatMap(({ group, kept, steps }) =>
    kept.length === 0 ? [] : steps.map((step) => ({ group, step })),
  );
  const each = (get: (step: SurvivalStep) => number) => rows.map(({ step }) => get(step));
  return toTable([
    ...groupColumn(
      by,
      stepColumns,
      rows.map(({ group }) => group),
    ),
    ["days", each(({ time }) => time / whole)],
    ["at_risk", each(({ atRisk }) => atRisk)],
    ["entered", each(({ entered }) => entered)],
    ["events", each(({ events }) => events)],
    ["censored", each(({ censored }) => censored)],
    ["survival", each((step) => step.survival)],
    ["lower", each(({ lower }) => lower)],
    ["upper", each(({ upper }) => upper)],
  ]);
}

const medianColumns = ["spells", "events", "censored", "late", "left_out", "median_days", "lower_days", "upper_days"];

function mediansTable(curves: readonly Curve[], by: string | undefined, { whole }: TimeUnit): ColumnTable {
  const days = (curve: "survival" | "lower" | "upper") =>
    curves.map(({ kept, steps }) => {
      const time = kept.length === 0 ? null : medianTime(steps, curve);
      return time === null ? null : time / whole;
    });
  const count = (is: (spell: Spell) => boolean) => curves.map(({ kept }) => kept.filter(is).length);
  return toTable([
    ...groupColumn(
      by,
      medianColumns,
      curves.map(({ group }) => group),
    ),
    ["spells", count(() => true)],
    ["events", count(({ isEvent }) => isEvent)],
    ["censored", count(({ isEvent }) => !isEvent)],
    ["late", count(isLate)],
    ["left_out", curves.map(({ leftOut }) => leftOut)],
    ["median_days", days("survival")],
    ["lower_days", days("lower")],
    ["upper_days", days("upper")],
  ]);
}

function isLate({ beganUs, seenUs }: Spell): boolean {
  return beganUs < seenUs;
}

/** @param unobserved how many of the left out spells have another reason */
function beginningDiagnostics(curves: readonly Curve[], unobserved: number): readonly Diagnostic[] {
  const sum = (count: (curve: Curve) => number) => curves.reduce((total, curve) => total + count(curve), 0);
  const all = sum(({ kept, leftOut }) => kept.length + leftOut);
  const [late, leftOut] = [sum(({ kept }) => kept.filter(isLate).length), sum((curve) => curve.leftOut) - unobserved];
  const of = (count: number) => `The start of ${count} of ${all} spells is unknown`;
  const entered: Diagnostic = withSeverity({
    code: "start-unknown",
    message: `${of(late)}. They start at the creation of the feature and are at risk from their first change.`,
    count: late,
  });
  const dropped: Diagnostic = withSeverity({
    code: "start-unknown-dropped",
    message: `${of(leftOut)}. They are excluded.`,
    count: leftOut,
  });
  return [...(late === 0 ? [] : [entered]), ...(leftOut === 0 ? [] : [dropped])];
}

/** Spells that are left out although their start is known. */
function unobservedDiagnostic(unobserved: number): readonly Diagnostic[] {
  if (unobserved === 0) return [];
  const message = `${unobserved} of the spells entered late and ended before any working time passed. They are excluded.`;
  return [withSeverity({ code: "start-unknown", message, count: unobserved })];
}

/** Left truncation can leave times at which no spell is observed; the curve after them rests on later entries. */
function gapDiagnostic(curves: readonly Curve[]): readonly Diagnostic[] {
  const gaps = curves.filter(({ steps }) =>
    steps.some(({ atRisk, entered, events, censored }, index) => {
      return index < steps.length - 1 && atRisk + entered - events - censored === 0;
    }),
  );
  if (gaps.length === 0) return [];
  return [
    withSeverity({
      code: "risk-set-empty",
      message: `${gaps.length === 1 ? "A curve has times" : `${gaps.length} curves have times`} at which no spell was observed, because too few spells start early.`,
      count: gaps.length,
    }),
  ];
}
