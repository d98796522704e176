import type { JSONObject } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import {
  anything,
  checkOptions,
  integerFrom,
  list,
  type OptionRule,
  type OptionRules,
  oneOf,
  text,
  texts,
} from "../../core/options.js";
import { creditRules } from "../../history/columns/credits.js";
import { calendarRule } from "../../history/time/time-unit.js";
import type { CalendarOptions } from "../../history/time/working-calendar.js";

/** Rows of an answer, as many as nobody asks more of and the most, and the longest time of a query of SQL, where nobody says it. */
export const answerLimits = { rows: 50, mostRows: 500, timeoutMs: 30_000 } as const;

/** What tools take. */
export interface ToolArguments {
  readonly site?: string | number;
  readonly layer?: string;
  readonly column?: string;
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly every?: string;
  readonly dates?: readonly string[];
  readonly by?: string;
  readonly weight?: string;
  readonly unit?: string;
  readonly credits?: Readonly<Record<string, unknown>>;
  readonly stage?: string;
  readonly until?: string;
  readonly moreThan?: string;
  readonly order?: readonly unknown[];
  readonly unknown?: "null" | "backfill";
  readonly absent?: "drop" | "keep";
  readonly value?: unknown;
  readonly knownAt?: string;
  readonly calendar?: CalendarOptions;
  readonly timeZone?: string;
  readonly columns?: readonly string[];
  readonly where?: Readonly<Record<string, unknown>>;
  readonly query?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** Name of an argument. */
export type ArgumentName = keyof ToolArguments;

interface Parameter {
  /** JSON Schema of its values. */
  readonly schema: JSONObject;
  readonly rule: OptionRule;
}

const siteRule: OptionRule = {
  takes: "an id or a name",
  accepts: (value) => Number.isSafeInteger(value) || text.accepts(value),
};

const whereRule: OptionRule = {
  takes: "an object of values by column",
  accepts: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

const ofText = (description: string): Parameter => ({ schema: { type: "string", description }, rule: text });
const ofTexts = (description: string): Parameter => ({
  schema: { type: "array", items: { type: "string" }, description },
  rule: texts,
});

const ofChoice = (description: string, ...choices: readonly string[]): Parameter => ({
  schema: { type: "string", enum: [...choices], description },
  rule: oneOf(...choices),
});

const time = "a calendar date (2025-06-30: that whole day), or an instant with its zone (2025-06-30T12:00:00Z)";

const parameters: Readonly<Record<ArgumentName, Parameter>> = {
  site: {
    schema: { type: ["string", "integer"], description: "Id or name of the site, as `sites` lists them." },
    rule: siteRule,
  },
  layer: ofText("Semantic type or name of a dataset of the site, as `layers` lists them."),
  column: ofText("Name of a property column, as `describe` lists them."),
  at: ofText(`The time: ${time}.`),
  from: ofText(`The first or earlier time: ${time}.`),
  to: ofText(`The last or later time: ${time}.`),
  every: ofText("From one date to the next: day, week, month, quarter, year, or an ISO duration (P14D)."),
  dates: ofTexts(`The dates, instead of from, to and every: each ${time}.`),
  by: ofText("A base field or property column to group by."),
  weight: ofText("Property column of numbers that tells what each feature weighs: quantities beside counts."),
  unit: ofText("Unit of the weights, where no definition says it."),
  credits: {
    schema: { type: "object", description: 'Share from 0 to 1 that each value earns: {"DUG": 0.3, "CLOSED": 1}.' },
    rule: creditRules.credits,
  },
  stage: ofText("Property column that credits are of."),
  until: ofText(`Where stretches that still hold are cut: ${time}. Default: when the log was read.`),
  moreThan: ofText("How late at least: an ISO duration of weeks, days or less (P7D). Default P1D."),
  order: {
    schema: { type: "array", description: "The values from first to last." },
    rule: list,
  },
  unknown: ofChoice("What stands where all changes are later. Default null.", "null", "backfill"),
  absent: ofChoice("What becomes of features that did not exist yet. Default drop.", "drop", "keep"),
  value: { schema: { description: "A value of the column, as `describe` lists them." }, rule: anything },
  knownAt: ofText(`Only what was known then: ${time}, or the id of a change.`),
  calendar: {
    schema: {
      type: "object",
      description:
        "Gives lengths in working days and hours: weekend (names of days; default saturday and sunday), holidays (dates, or {date, hours}), hours (08:00-17:00, an array of such, or by weekday; default the whole day).",
      properties: {
        timeZone: { type: "string", description: "IANA time zone of the hours and dates." },
        weekend: { type: "array" },
        holidays: { type: ["array", "object"] },
        hours: { type: ["string", "array", "object"] },
      },
      required: ["timeZone"],
    },
    rule: calendarRule,
  },
  timeZone: ofText("IANA time zone in which calendar dates begin and end. Default UTC."),
  columns: ofTexts(
    "Columns of the result to give, beside id and visible_id. Geometries are given where they are named here.",
  ),
  where: {
    schema: {
      type: "object",
      description: 'Rows of the result to give: a value, or an array of values, by column: {"STATUS": ["OPEN"]}.',
    },
    rule: whereRule,
  },
  query: ofText(
    "One SELECT of DuckDB's SQL. Each semantic type is a view with readable columns; TRENCHES_AT('2025-06-30') is its past, TRENCHES_STATES(…) how each value is known, TRENCHES_HISTORY all intervals. SHOW TABLES lists tables and views.",
  ),
  limit: {
    schema: { type: "integer", minimum: 1, description: `Most rows to give. Default ${answerLimits.rows}.` },
    rule: integerFrom(1),
  },
  offset: {
    schema: { type: "integer", minimum: 0, description: "Rows to leave out before the first one. Default 0." },
    rule: integerFrom(0),
  },
};

/** What a tool takes. */
export interface Taken {
  readonly takes: readonly ArgumentName[];
  readonly needs: readonly ArgumentName[];
}

/** The JSON Schema of a tool's arguments. */
export function inputSchema({ takes, needs }: Taken) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(takes.map((name) => [name, { ...parameters[name].schema }])),
    required: [...needs],
    additionalProperties: false,
  };
}

/**
 * Checks what a tool was given.
 *
 * @throws ArgumentError for what it does not take, and for what is missing
 */
export function checkArguments(tool: string, { takes, needs }: Taken, given: unknown): ToolArguments {
  const rules = Object.fromEntries(takes.map((name) => [name, parameters[name].rule]));
  checkOptions<ToolArguments>(tool, (given ?? {}) as ToolArguments, rules as unknown as OptionRules<ToolArguments>);
  const found = (given ?? {}) as ToolArguments;
  const missing = needs.find((name) => found[name] === undefined);
  if (missing === undefined) return found;
  throw new ArgumentError(`${tool} needs ${missing}: ${parameters[missing].rule.takes}.`, {
    facts: { tool, argument: missing },
  });
}
