import { ArgumentError } from "../../core/errors.js";
import { memberOf } from "../../core/member.js";
import {
  anything,
  checkOptions,
  flag,
  integerFrom,
  numeric,
  type OptionRule,
  type OptionRules,
  objectOf,
  oneOf,
  required,
  text,
  texts,
} from "../../core/options.js";
import { takesColumnValues } from "../../history/cell/value-sets.js";
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
export interface Parameter {
  readonly description: string;
  readonly rule: OptionRule;
  /** What the library takes in place of its JSON, which is the same if absent. */
  readonly read?: (value: unknown) => unknown;
}

/** What a tool takes, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

const siteRule: OptionRule = {
  takes: "an id or a name",
  schema: { type: ["string", "integer"] },
  accepts: (value) => Number.isSafeInteger(value) || text.accepts(value),
};

const gridRule = objectOf("an object of from, to and every");

const datesRule: OptionRule = {
  takes: `an array of times, or ${gridRule.takes}`,
  schema: { type: ["array", "object"] },
  accepts: (value) => texts.accepts(value) || gridRule.accepts(value),
};

const planRule: OptionRule = {
  takes: 'the name of a column of planned dates, or an array of {"date": …, "value": …}',
  schema: { type: ["string", "array"] },
  accepts: (value) =>
    text.accepts(value) || (Array.isArray(value) && value.length > 0 && value.every(objectOf("").accepts)),
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

const time = "2025-06-30 (that whole day) or 2025-06-30T12:00:00Z";

/**
 * Every argument by name. Options of questions, inspections and figures that are missing here cannot be given: they are not
 * JSON, or reach beyond the data.
 */
const descriptions = {
  site: "Id or name, as `sites` has them.",
  layer: "Semantic type or name of a dataset, as `layers` has them.",
  layers: "Layers of the site, one for each capture, in the order of time.",
  column: "Property column, as `describe` has them.",
  at: `The time: ${time}.`,
  from: `The first or earlier time: ${time}.`,
  to: `The last or later time: ${time}.`,
  every: "From one date to the next: day, week, month, quarter, year, or an ISO duration (P14D).",
  dates: `The dates: an array, each ${time}; or {from, to, every}.`,
  since: `Date of the previous report, for changes since then: ${time}.`,
  by: "A base field or property column to group by; ageing and flow take an array of several, too.",
  weight: 'Weight of each feature, for quantities: a column of numbers, "length" (m) or "area" (m²).',
  unit: "Unit of the weights or numbers, if their definition has none.",
  credits: 'Share from 0 to 1 that each value earns: {"DUG": 0.3, "CLOSED": 1}.',
  stage: "Property column that credits are of.",
  stages: "The values that features go through, first to last. Default: those of the credits, or of the column.",
  plan: 'A column of planned dates, or the planned quantity by date: [{"date": "2025-06-30", "value": 120}].',
  total: "How many features, or with a weight how much, are 100 %. Default: what there is.",
  until: `Where what still holds is cut: ${time}. Default: when the log was read.`,
  due: "Property column with the date at which an item is due.",
  buckets: "The highest age of each bucket except the last, in days, ascending. Default: [7, 30, 90].",
  groupAt: "As of when a property groups: the beginning of a spell (default), or its end.",
  confidence: "Confidence of bands and limits, between 0 and 1. Default 0.95.",
  trials: "How often the future is drawn. Default 10,000.",
  seed: "Seed of the draws: the same seed gives the same forecast. Default 1.",
  weeks: "How many of the last weeks are resampled, at most. Default 26.",
  backtests: "How many forecasts of the past are compared with what happened, at most. Default 40.",
  moreThan: "How late at least: an ISO duration of weeks, days or less (P7D). Default P1D.",
  order: 'An array of the values from first to last; steps and transitions take "options", too.',
  unknown: "How to treat values that the log does not have.",
  absent: "How to treat features that did not exist yet. Default: drop.",
  value: "A value of the column, as `describe` lists them.",
  components: "Layers of the site, or layers by the names of their components. Default: all layers of components.",
  classes: "The column with the class of an anomaly.",
  severity: 'The column with the severity, or the severity of each class: {"hot_spot": 2, "string": 3}.',
  factors: 'The share of a module\'s power that each class takes, from 0 to 1: {"hot_spot": 0.1, "string": 1}.',
  modules: 'How many modules an anomaly takes: a number, a column, or a number for each class: {"string": 24}.',
  ratedPower: "The rated power of a module in W: a number, a column, or a number for each class.",
  yield: "The specific yield, in kWh a year for each kWp.",
  tariff: "Price of a kWh, in any currency.",
  peakPower: 'The peak power of the site in MWp, or "site": as its record says.',
  modulesInspected: "How many modules each capture inspected: a number for all, or an array of one for each.",
  blocks: "The column with the block of an anomaly.",
  coverage:
    "Whether anomalies outside of the blocks that a capture flew over are not surveyed, instead of fixed. Default false.",
  maxDistance: "How far apart, in metres, the same anomaly may lie in two captures. Two captures or more need it.",
  relation: "The column that says which anomaly of an earlier capture one is the same as.",
  fixed: '{"column", "values"}: what says that an anomaly was marked as fixed.',
  labels: "A name for each capture. Default: 1, 2, …",
  forecast: "Whether the fan of a forecast is drawn, or its options.",
  done: 'The values that mean that a feature is done. Default ["CLOSED"].',
  leaveOut: "Values that are left out.",
  features: "Ids of the features that are drawn.",
  maxFeatures: "How many features are drawn, at most.",
  thresholds: "Limits of classes of numbers, ascending.",
  bins: "About how many bars there are, or the edges of all.",
  measure:
    "What is drawn: a column of numbers of a pareto, percent or quantity of progressBars, a figure of an inspection.",
  swipe: "Whether two dates lie over each other.",
  first: "Whether the first capture is drawn, too.",
  knownAt: `Only what was known then: ${time}, or the id of a change.`,
  calendar:
    'Gives lengths in working days and hours: {"timeZone": "Europe/Madrid", "weekend": ["saturday", "sunday"], "holidays": ["2025-08-15"], "hours": "08:00-17:00"}.',
  timeZone: "IANA time zone of calendar dates. Default UTC.",
  columns: "Columns to give, beside id and visible_id. Geometries come only where they are named.",
  where: 'Rows to give: a value, or an array of values, by column: {"STATUS": ["OPEN"]}.',
  query:
    "One SELECT of DuckDB's SQL. Each semantic type is a view with readable columns; TRENCHES_AT('2025-06-30') is its past, TRENCHES_STATES(…) how each value is known, TRENCHES_KNOWN_AT(…, …) its past by what was known at another date, TRENCHES_HISTORY all intervals. SHOW TABLES lists tables and views.",
  part: "Another table of the answer. Default: the main one.",
  kind: "The kind of the figure.",
  limit: `Most rows. Default ${answerLimits.rows}.`,
  offset: "Rows to leave out first. Default 0.",
} as const;

/** Name of an argument. */
export type ParameterName = keyof typeof descriptions;

/** Arguments that no call has as an option, and options that calls check themselves. */
const ownRules: { readonly [Name in ParameterName]?: OptionRule } = {
  site: siteRule,
  layer: text,
  layers: texts,
  column: text,
  at: text,
  from: text,
  to: text,
  every: text,
  dates: datesRule,
  since: text,
  plan: planRule,
  until: text,
  moreThan: text,
  components: { ...anything, schema: { type: ["array", "object"] } },
  classes: text,
  peakPower: {
    takes: 'a number of MWp above 0 or "site"',
    texts: ["site"],
    schema: { type: ["number", "string"] },
    accepts: (value) => value === "site" || (numeric.accepts(value) && Number(value) > 0),
  },
  coverage: flag,
  forecast: {
    takes: "true, false or an object",
    schema: { type: ["boolean", "object"] },
    accepts: (value) => flag.accepts(value) || objectOf("").accepts(value),
  },
  knownAt: text,
  timeZone: text,
  columns: texts,
  where: objectOf("an object of values by column"),
  query: text,
  limit: integerFrom(1),
  offset: integerFrom(0),
};

function parameter(name: ParameterName, rule = ownRules[name] ?? anything): Parameter {
  return { description: descriptions[name], rule, ...(name === "plan" && { read: readPlan }) };
}

/** Arguments by their names. */
export function parameters(...names: readonly ParameterName[]): Parameters {
  return Object.fromEntries(names.map((name) => [name, parameter(name)]));
}

/** An argument that is one of some texts. */
export function choiceParameter(name: ParameterName, choices: readonly string[]): Parameters {
  return { [name]: parameter(name, oneOf(...choices)) };
}

/** The options of a call that can be given as JSON. */
export function optionParameters(rules: Readonly<Record<string, OptionRule>>): Parameters {
  const isDescribed = (name: string): name is ParameterName => Object.hasOwn(descriptions, name);
  return Object.fromEntries(
    Object.entries(rules).flatMap(([name, rule]): readonly [string, Parameter][] => {
      // Its name may be that of a time in other questions.
      if (takesColumnValues(rule)) return [[name, { description: sentence(rule.takes), rule }]];
      return isDescribed(name) ? [[name, parameter(name, rule === anything ? undefined : rule)]] : [];
    }),
  );
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
    properties: Object.fromEntries(
      Object.entries(takes).map(([name, { description, rule }]) => [name, { ...rule.schema, description }]),
    ),
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
  const rules = Object.fromEntries(
    Object.entries(takes).map(([name, { rule }]) => [name, needs.includes(name) ? required(rule) : rule]),
  );
  const found = (given ?? {}) as ToolArguments;
  checkOptions<ToolArguments>(tool, found, rules as unknown as OptionRules<ToolArguments>);
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => {
      const read = takes[name]?.read;
      return [name, read && value !== undefined ? read(value) : value];
    }),
  );
}
