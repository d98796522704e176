import type { JSONObject } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import { memberOf } from "../../core/member.js";
import {
  anything,
  checkOptions,
  flag,
  integerFrom,
  list,
  numeric,
  type OptionRule,
  type OptionRules,
  oneOf,
  text,
  texts,
} from "../../core/options.js";
import { takesColumnValues } from "../../history/cell/value-sets.js";
import { calendarRule } from "../../history/time/time-unit.js";
import { toTable } from "../../tables/column/table.js";

/** Rows of an answer, as many as nobody asks more of and the most, and the longest time of a query of SQL, where nobody says it. */
export const answerLimits = { rows: 50, mostRows: 500, timeoutMs: 30_000 } as const;

/** Bytes of a message, values of the arguments of a call, and columns of a plan or an answer. */
export const requestLimits = { messageBytes: 4_000_000, values: 10_000, columns: 1000 } as const;

/** What tools take. Options of questions are read by their names. */
export interface ToolArguments {
  readonly site?: string | number;
  readonly layer?: string;
  readonly layers?: readonly string[];
  readonly column?: string;
  readonly at?: string;
  readonly kind?: string;
  readonly knownAt?: string;
  readonly timeZone?: string;
  readonly columns?: readonly string[];
  readonly where?: Readonly<Record<string, unknown>>;
  readonly part?: string;
  readonly query?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly [option: string]: unknown;
}

/** What an argument may be. */
interface Parameter {
  /** JSON Schema of its values. */
  readonly schema: JSONObject;
  readonly rule: OptionRule;
  /** What the library takes in place of its JSON, which is the same if absent. */
  readonly read?: (value: unknown) => unknown;
}

/** What a tool takes, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

const siteRule: OptionRule = {
  takes: "an id or a name",
  accepts: (value) => Number.isSafeInteger(value) || text.accepts(value),
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const ofObject = (takes: string): OptionRule => ({ takes, accepts: isObject });

const datesRule: OptionRule = {
  takes: "an array of times, or an object of from, to and every",
  accepts: (value) => texts.accepts(value) || isObject(value),
};

const planRule: OptionRule = {
  takes: 'the name of a column of planned dates, or an array of {"date": …, "value": …}',
  accepts: (value) => text.accepts(value) || (Array.isArray(value) && value.length > 0 && value.every(isObject)),
};

/** Rows as a table with the columns that any of them has; what is no plan is the library's to refuse. */
function readPlan(plan: unknown): unknown {
  if (!Array.isArray(plan) || !planRule.accepts(plan)) return plan;
  const rows = plan as readonly Readonly<Record<string, unknown>>[];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // A table has each column in each row.
  if (names.length > requestLimits.columns) {
    throw new ArgumentError(`plan: its rows have ${names.length} different names.`, {
      hint: 'Give rows of {"date": …, "value": …}.',
      facts: { argument: "plan" },
    });
  }
  return toTable(names.map((name) => [name, rows.map((row) => memberOf(row, name) ?? null)]));
}

const ofText = (description: string): Parameter => ({ schema: { type: "string", description }, rule: text });
const ofTexts = (description: string): Parameter => ({
  schema: { type: "array", items: { type: "string" }, description },
  rule: texts,
});
const ofList = (description: string): Parameter => ({ schema: { type: "array", description }, rule: list });
const ofNumber = (description: string): Parameter => ({ schema: { type: "number", description }, rule: numeric });
const ofFlag = (description: string): Parameter => ({ schema: { type: "boolean", description }, rule: flag });
const ofAny = (description: string): Parameter => ({ schema: { description }, rule: anything });
const ofInteger = (description: string, minimum: number): Parameter => ({
  schema: { type: "integer", minimum, description },
  rule: integerFrom(minimum),
});

const ofChoice = (description: string, ...choices: readonly string[]): Parameter => ({
  schema: { type: "string", enum: [...choices], description },
  rule: oneOf(...choices),
});

const time = "2025-06-30 (that whole day) or 2025-06-30T12:00:00Z";

/**
 * Every argument by name. The options of questions, inspections and figures that are here can be given; those that are not
 * take what is no JSON, or reach beyond the data.
 */
const described = {
  site: {
    schema: { type: ["string", "integer"], description: "Id or name, as `sites` has them." },
    rule: siteRule,
  },
  layer: ofText("Semantic type or name of a dataset, as `layers` has them."),
  layers: ofTexts("Layers of the site, one for each capture, in the order of time."),
  column: ofText("Property column, as `describe` has them."),
  at: ofText(`The time: ${time}.`),
  from: ofText(`The first or earlier time: ${time}.`),
  to: ofText(`The last or later time: ${time}.`),
  every: ofText("From one date to the next: day, week, month, quarter, year, or an ISO duration (P14D)."),
  dates: {
    schema: {
      type: ["array", "object"],
      description: `The dates: an array, each ${time}; or {from, to, every}.`,
    },
    rule: datesRule,
  },
  since: ofText(`The day of the report before, of which changes are told: ${time}.`),
  by: ofAny("A base field or property column to group by; ageing and flow take an array of several, too."),
  weight: ofText('What each feature weighs, for quantities: a column of numbers, "length" (m) or "area" (m²).'),
  unit: ofText("Unit of the weights or numbers, where no definition says it."),
  credits: {
    schema: { type: "object", description: 'Share from 0 to 1 that each value earns: {"DUG": 0.3, "CLOSED": 1}.' },
    rule: ofObject("an object of shares by value"),
  },
  stage: ofText("Property column that credits are of."),
  stages: ofList(
    "The values that features go through, first to last. Default: those of the credits, or of the column.",
  ),
  plan: {
    schema: {
      type: ["string", "array"],
      description:
        'A column of planned dates, or how much is to be done by when: [{"date": "2025-06-30", "value": 120}].',
    },
    rule: planRule,
    read: readPlan,
  },
  total: ofNumber("How many features, or with a weight how much, are 100 %. Default: what there is."),
  until: ofText(`Where what still holds is cut: ${time}. Default: when the log was read.`),
  due: ofText("Property column with the date at which an item is due."),
  buckets: ofList("The highest age of each bucket except the last, in days, ascending. Default: [7, 30, 90]."),
  groupAt: ofText("As of when a property groups: the beginning of a spell (default), or its end."),
  confidence: ofNumber("Confidence of bands and limits, between 0 and 1. Default 0.95."),
  trials: ofInteger("How often the future is drawn. Default 10,000.", 100),
  seed: ofInteger("Seed of the draws: the same seed gives the same forecast. Default 1.", 0),
  weeks: ofInteger("How many of the last weeks are resampled, at most. Default 26.", 1),
  backtests: ofInteger("How many forecasts of the past are compared with what happened, at most. Default 40.", 0),
  moreThan: ofText("How late at least: an ISO duration of weeks, days or less (P7D). Default P1D."),
  order: ofAny('An array of the values from first to last; steps and transitions take "options", too.'),
  unknown: ofText("What becomes of what the log does not tell."),
  absent: ofText("What becomes of features that did not exist yet. Default drop."),
  value: ofAny("A value of the column, as `describe` lists them."),
  components: {
    schema: {
      type: ["array", "object"],
      description: "Layers of the site, or layers by the names of their components. Default: all layers of components.",
    },
    rule: anything,
  },
  classes: ofText("The column with the class of an anomaly."),
  severity: ofAny('The column with the severity, or the severity of each class: {"hot_spot": 2, "string": 3}.'),
  factors: {
    schema: {
      type: "object",
      description: 'The share of a module\'s power that each class takes, from 0 to 1: {"hot_spot": 0.1, "string": 1}.',
    },
    rule: ofObject("an object of shares by class"),
  },
  modules: ofAny('How many modules an anomaly takes: a number, a column, or a number for each class: {"string": 24}.'),
  ratedPower: ofAny("The rated power of a module in W: a number, a column, or a number for each class."),
  yield: ofNumber("The specific yield, in kWh a year for each kWp."),
  tariff: ofNumber("What a kWh is paid, in whatever money."),
  peakPower: {
    schema: {
      type: ["number", "string"],
      description: 'The peak power of the site in MWp, or "site": as its record says.',
    },
    rule: {
      takes: 'a number of MWp above 0 or "site"',
      texts: ["site"],
      accepts: (value) => value === "site" || (numeric.accepts(value) && Number(value) > 0),
    },
  },
  modulesInspected: ofAny("How many modules each capture inspected: a number for all, or an array of one for each."),
  blocks: ofText("The column with the block of an anomaly."),
  coverage: ofFlag(
    "Whether anomalies outside of the blocks that a capture flew over are not surveyed, instead of fixed. Default false.",
  ),
  maxDistance: ofNumber(
    "How far apart, in metres, the same anomaly may lie in two captures. Two captures or more need it.",
  ),
  relation: ofText("The column that says which anomaly of an earlier capture one is the same as."),
  fixed: {
    schema: { type: "object", description: '{"column", "values"}: what says that an anomaly was marked as fixed.' },
    rule: ofObject("an object of column and values"),
  },
  labels: ofList("A name for each capture. Default: 1, 2, …"),
  forecast: {
    schema: { type: ["boolean", "object"], description: "Whether the fan of a forecast is drawn, or its options." },
    rule: { takes: "true, false or an object", accepts: (value) => flag.accepts(value) || isObject(value) },
  },
  done: ofList('The values that mean that a feature is done. Default ["CLOSED"].'),
  leaveOut: ofList("Values that are left out."),
  features: ofList("Ids of the features that are drawn."),
  maxFeatures: ofInteger("How many features are drawn, at most.", 1),
  thresholds: ofList("Limits of classes of numbers, ascending."),
  bins: ofAny("About how many bars there are, or the edges of all."),
  measure: ofText(
    "What is drawn: a column of numbers of a pareto, percent or quantity of progressBars, a figure of an inspection.",
  ),
  swipe: ofFlag("Whether two dates lie over each other."),
  first: ofFlag("Whether the first capture is drawn, too."),
  knownAt: ofText(`Only what was known then: ${time}, or the id of a change.`),
  calendar: {
    schema: {
      type: "object",
      description:
        'Gives lengths in working days and hours: {"timeZone": "Europe/Madrid", "weekend": ["saturday", "sunday"], "holidays": ["2025-08-15"], "hours": "08:00-17:00"}.',
      required: ["timeZone"],
    },
    rule: calendarRule,
  },
  timeZone: ofText("IANA time zone of calendar dates. Default UTC."),
  columns: ofTexts("Columns to give, beside id and visible_id. Geometries come only where they are named."),
  where: {
    schema: {
      type: "object",
      description: 'Rows to give: a value, or an array of values, by column: {"STATUS": ["OPEN"]}.',
    },
    rule: ofObject("an object of values by column"),
  },
  query: ofText(
    "One SELECT of DuckDB's SQL. Each semantic type is a view with readable columns; TRENCHES_AT('2025-06-30') is its past, TRENCHES_STATES(…) how each value is known, TRENCHES_KNOWN_AT(…, …) its past by what was known at another date, TRENCHES_HISTORY all intervals. SHOW TABLES lists tables and views.",
  ),
  part: ofText("Another table of the answer. Default: the main one."),
  kind: ofText("The kind of the figure."),
  limit: ofInteger(`Most rows. Default ${answerLimits.rows}.`, 1),
  offset: ofInteger("Rows to leave out first. Default 0.", 0),
} satisfies Parameters;

/** Name of an argument. */
export type ParameterName = keyof typeof described;

/** Arguments by their names. */
export function parameters(...names: readonly ParameterName[]): Parameters {
  return Object.fromEntries(names.map((name) => [name, described[name]]));
}

/** An argument that is one of some texts. */
export function choiceParameter(name: ParameterName, choices: readonly string[]): Parameters {
  return { [name]: ofChoice(String(described[name].schema["description"]), ...choices) };
}

/** The options of a call that can be given as JSON. */
export function optionParameters(rules: Readonly<Record<string, OptionRule>>): Parameters {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([name, rule]) => {
      const parameter = optionParameter(name, rule);
      return parameter ? [[name, parameter] as const] : [];
    }),
  );
}

function optionParameter(name: string, rule: OptionRule): Parameter | undefined {
  // Its name may be that of a time in other questions.
  if (takesColumnValues(rule)) return { schema: { description: sentence(rule.takes) }, rule };
  const known: Parameter | undefined = Object.hasOwn(described, name) ? described[name as ParameterName] : undefined;
  if (!known) return undefined;
  if (rule.choices) return { schema: { ...known.schema, type: "string", enum: [...rule.choices] }, rule };
  // What takes a table takes its rows here.
  return rule === anything || known.read ? known : { ...known, rule };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** What a tool takes, and what of it cannot be left out. */
export interface Taken {
  readonly takes: Parameters;
  readonly needs: readonly string[];
}

/** The JSON Schema of a tool's arguments. */
export function inputSchema({ takes, needs }: Taken) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(Object.entries(takes).map(([name, { schema }]) => [name, { ...schema }])),
    required: [...needs],
    additionalProperties: false,
  };
}

/**
 * Refuses more arguments than can be answered in a short time: tools compare each with the values of a column.
 *
 * @throws ArgumentError for more than 10,000 values and names of values
 */
function checkCount(tool: string, given: unknown): void {
  const { values: most } = requestLimits;
  const left: unknown[] = [given];
  let count = 0;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const held = Object.values(value);
    count += held.length;
    if (count > most) {
      throw new ArgumentError(`${tool}: the arguments have more than ${most.toLocaleString("en-US")} values.`, {
        hint: "Ask for less at once. Give many dates as from, to and every.",
        facts: { tool, limit: most },
      });
    }
    for (const one of held) left.push(one);
  }
}

/**
 * Checks what a tool was given.
 *
 * @returns what the library takes
 * @throws ArgumentError for what it does not take, and for what is missing
 */
export function checkArguments(tool: string, { takes, needs }: Taken, given: unknown): ToolArguments {
  checkCount(tool, given);
  const rules = Object.fromEntries(Object.entries(takes).map(([name, { rule }]) => [name, rule]));
  checkOptions<ToolArguments>(tool, (given ?? {}) as ToolArguments, rules as unknown as OptionRules<ToolArguments>);
  const found = (given ?? {}) as ToolArguments;
  const missing = needs.find((name) => found[name] === undefined);
  if (missing !== undefined) {
    throw new ArgumentError(`${tool} needs ${missing}: ${takes[missing]?.rule.takes}.`, {
      facts: { tool, argument: missing },
    });
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => {
      const read = takes[name]?.read;
      return [name, read && value !== undefined ? read(value) : value];
    }),
  );
}
