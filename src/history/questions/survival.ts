import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { anything, type OptionRules, oneOf, text } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import { type Intervals, intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { limitOf } from "../cell/time-limit.js";
import { columnValues, requireHeld, setOfCell, valueList } from "../cell/value-sets.js";
import { constantColumn, constantNames } from "../columns/added-columns.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { groupColumn } from "../grid/group-codes.js";
import { ValueDictionary } from "../log/change-log.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { kaplanMeier, medianTime, type SurvivalStep } from "./kaplan-meier.js";
import { specify } from "./specification.js";

/** A stretch of time from a feature's becoming one of some values until it reached one of others, or was seen last. */
interface Spell {
  /** Row of the feature. */
  readonly row: number;
  /** When it began, microseconds since 1970; where that is not known the earliest time, or −Infinity. */
  readonly beganUs: number;
  /** Since when it is observed: its beginning, or the first that the log tells of it. */
  readonly seenUs: number;
  readonly endUs: number;
  /** The last microsecond of it: of what is cut at a calendar date the one before `endUs`. */
  readonly lastUs: number;
  /** Whether it ended by reaching a value; else it was still open at its end. */
  readonly isEvent: boolean;
}

/** A spell that has not ended yet. */
type OpenSpell = Pick<Spell, "row" | "beganUs" | "seenUs">;

/** Options of `history.survival()`. */
export interface SurvivalOptions extends CalendarOption {
  /** The value, or an array of values, that begins a spell when a feature comes to have it. */
  readonly from: unknown;
  /** The value, or an array of values, whose reaching is the event that ends a spell. */
  readonly to: unknown;
  /** A base field, a property, or a column that `derive()` added, to group by. */
  readonly by?: string;
  /**
   * As of when a property groups: `"beginning"`, the default, is when a spell comes under observation; `"end"` is when it
   * ends, for what is decided while it lasts. Groups by what only long spells live to see are biased.
   */
  readonly groupAt?: "beginning" | "end";
  /** Confidence of the bands and of the limits of medians, between 0 and 1. Default 0.95. */
  readonly confidence?: number;
  /**
   * Where open spells are cut; `until` of the history if absent. What is reached at this very instant is reached, as in
   * `asOf`; a calendar date counts to its end.
   */
  readonly until?: TimePoint;
  /**
   * What becomes of spells whose beginning is not known, since their first value is the first that the log tells:
   * `"late-entry"`, the default, counts them from the feature's creation and has them at risk from that first change on;
   * `"drop"` leaves them out.
   */
  readonly unknown?: "late-entry" | "drop";
}

/** What it takes. */
export const survivalRules: OptionRules<SurvivalOptions> = {
  from: columnValues("that begins a spell"),
  to: columnValues("whose reaching ends a spell"),
  by: text,
  groupAt: oneOf("beginning", "end"),
  confidence: {
    takes: "a number above 0 and below 1",
    schema: { type: "number" },
    accepts: (value) => typeof value === "number" && value > 0 && value < 1,
  },
  until: anything,
  unknown: oneOf("late-entry", "drop"),
  calendar: calendarRule,
};

/** A survival curve for each group, as steps. */
export interface Survival extends ColumnTable {
  /**
   * For each group: `spells`, `events`, `censored`, `late` (of the spells, those that entered late), `left_out` (no part
   * of the spells), `median_days`, `lower_days`, `upper_days`; null where a curve does not come down to a half.
   */
  readonly medians: ColumnTable;
  /** How many spells entered late or were left out, and whether there are times at which nobody was observed. */
  readonly findings: readonly Finding[];
}

/** The spells of a group, and what they give. */
interface Curve {
  readonly group: unknown;
  readonly kept: readonly Spell[];
  readonly leftOut: number;
  readonly steps: readonly SurvivalStep[];
}

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: SurvivalOptions = { from: [], to: [] };

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How long it takes from one value to another, open spells included (Kaplan-Meier): `days` since the beginning (of 24
     * hours), `at_risk`, `entered`, `events`, `censored`, `survival` (share that has not got there), `lower`, `upper`.
     * `by` adds a column of its name before them. `medians` and `findings` of the table tell the rest. With a `calendar`
     * days are working days.
     *
     * @param column name of a property column
     * @throws ArgumentError also for values that no feature ever had
     */
    survival(column: string, options: SurvivalOptions): Survival;
  }
}

export const survivalSpecification = specify({
  summary: "How long it takes from one value of a column to another, open spells included (Kaplan-Meier).",
  takes: ["column"],
  options: survivalRules,
  time: (_: string, options?: SurvivalOptions) => options?.until,
  parts: ["medians"],
  memory: (data, column: string, options: SurvivalOptions = NOTHING) => {
    const table = survival(data, column, options);
    return { table, findings: table.findings };
  },
});

/** Kaplan-Meier curves of the time from one value to another. */
export function survival(data: HistoryData, name: string, options: SurvivalOptions = NOTHING): Survival {
  const { by, confidence = 0.95 } = options;
  const column = chooseColumn(data.names, name);
  const [from, to] = [valueList(options.from), valueList(options.to)];
  const unreached = [...requireHeld(data, column, "from", from), ...requireHeld(data, column, "to", to)];
  const spells = spellsOf(data, column, { from, to }, limitOf(data, options));
  const groups = grouped(spells, groupOf(data, options));
  const unit = dayUnit(givenCalendar(options));
  const curves = groups.map(([group, own]): Curve => {
    const kept = own.filter((spell) => isKept(spell, options) && isObserved(spell, unit));
    const steps = kaplanMeier(
      kept.map((spell) => observation(spell, unit)),
      confidence,
    );
    return { group, kept, leftOut: own.length - kept.length, steps };
  });
  const unobserved = spells.filter((spell) => isKept(spell, options) && !isObserved(spell, unit)).length;
  return Object.assign(stepsTable(curves, by, unit), {
    medians: mediansTable(curves, by, unit),
    findings: [
      ...unreached,
      ...beginningFindings(curves, unobserved),
      ...unobservedFinding(unobserved),
      ...gapFinding(curves),
    ],
  });
}

/**
 * The spells of a column, feature by feature in order of time. Values that neither begin nor end a spell leave it open,
 * and so does coming back to one that begins it.
 *
 * @param limit where open spells are cut
 */
function spellsOf(
  data: HistoryData,
  column: number,
  { from, to }: { readonly from: readonly unknown[]; readonly to: readonly unknown[] },
  limit: TimeLimit,
): readonly Spell[] {
  const spans = intervalsOf(data, column);
  const setOf = setOfCell(data, column, { from, to });
  const spells: Spell[] = [];
  let open: OpenSpell | undefined;
  let lastToUs = 0;
  const close = (end: TimeLimit, isEvent: boolean) => {
    if (open) spells.push({ ...open, ...end, isEvent });
    open = undefined;
  };
  for (let span = 0; span < spans.length; span += 1) {
    const row = spans.rows[span] as number;
    const fromUs = spans.fromUs[span] as number;
    if (open && open.row !== row) close(cutAt(limit, lastToUs), false);
    lastToUs = spans.toUs[span] as number;
    if (fromUs > limit.lastUs) continue;
    const set = setOf(row, spans.decisions[span] as number);
    if (set === "from") open ??= { row, ...beginning(spans, span) };
    else if (set === "to") close({ lastUs: fromUs, endUs: fromUs }, true);
  }
  close(cutAt(limit, lastToUs), false);
  return spells;
}

/** The end of an open spell: the limit, or the time at which its feature was found to be gone. */
function cutAt({ lastUs, endUs }: TimeLimit, goneUs: number): TimeLimit {
  return { lastUs: Math.min(lastUs, goneUs), endUs: Math.min(endUs, goneUs) };
}

function beginning({ rows, decisions, fromUs }: Intervals, span: number): Pick<Spell, "beganUs" | "seenUs"> {
  const seenUs = fromUs[span] as number;
  const isAfterUnknown = rows[span - 1] === rows[span] && decisions[span - 1] === UNKNOWN;
  // The value before is unknown, so this one may hold since the feature was created.
  return { beganUs: isAfterUnknown ? (fromUs[span - 1] ?? seenUs) : seenUs, seenUs };
}

function isKept({ beganUs, seenUs }: Spell, { unknown }: SurvivalOptions): boolean {
  return beganUs === seenUs ? Number.isFinite(beganUs) : unknown !== "drop" && Number.isFinite(beganUs);
}

/** Not what entered late and reached a value before any time passed, which no calendar of 24 hours has: nobody was at risk. */
function isObserved({ beganUs, seenUs, endUs, isEvent }: Spell, { length }: TimeUnit): boolean {
  return !isEvent || length(beganUs, seenUs) === 0 || length(seenUs, endUs) > 0;
}

function observation({ beganUs, seenUs, endUs, isEvent }: Spell, { length }: TimeUnit) {
  return { entry: length(beganUs, seenUs), exit: length(beganUs, endUs), isEvent };
}

/** The group that a spell is in; one of all without `by`. */
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
  return groups.map((own, code) => [dictionary.values[code], own] as const).sort(([a], [b]) => compareValues(a, b));
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

/** @param unobserved how many of those that are left out are so for another reason */
function beginningFindings(curves: readonly Curve[], unobserved: number): readonly Finding[] {
  const sum = (count: (curve: Curve) => number) => curves.reduce((total, curve) => total + count(curve), 0);
  const all = sum(({ kept, leftOut }) => kept.length + leftOut);
  const [late, leftOut] = [sum(({ kept }) => kept.filter(isLate).length), sum((curve) => curve.leftOut) - unobserved];
  const of = (count: number) => `The beginning of ${count} of ${all} spells is not known`;
  const entered: Finding = {
    code: "late-entry",
    message: `${of(late)}: they count from the feature's creation, and are at risk from the first change that tells of them.`,
    count: late,
  };
  const dropped: Finding = {
    code: "unknown-beginning",
    message: `${of(leftOut)}: they are left out.`,
    count: leftOut,
  };
  return [...(late === 0 ? [] : [entered]), ...(leftOut === 0 ? [] : [dropped])];
}

/** What is neither late nor of an unknown beginning, and left out nevertheless. */
function unobservedFinding(unobserved: number): readonly Finding[] {
  if (unobserved === 0) return [];
  const message = `${unobserved} of the spells entered late and ended before any working time passed: they are left out.`;
  return [{ code: "late-entry", message, count: unobserved }];
}

/** Late entries can leave times at which nobody is observed; what a curve says behind them rests on who came after. */
function gapFinding(curves: readonly Curve[]): readonly Finding[] {
  const gaps = curves.filter(({ steps }) =>
    steps.some(({ atRisk, entered, events, censored }, place) => {
      return place < steps.length - 1 && atRisk + entered - events - censored === 0;
    }),
  );
  if (gaps.length === 0) return [];
  return [
    {
      code: "nobody-at-risk",
      message: `${gaps.length === 1 ? "A curve has times" : `${gaps.length} curves have times`} at which no spell was under observation: late entries leave too few early ones.`,
      count: gaps.length,
    },
  ];
}
