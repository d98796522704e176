import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";
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

/** Default and maximum rows of an answer, and the maximum time of an SQL query. */
export const answerLimits = { rows: 50, mostRows: 500, timeoutMs: 30_000 } as const;

/** Maximum bytes of a message, values in the arguments of a call, and columns of a plan or an answer. */
export const requestLimits = { messageBytes: 4_000_000, values: 10_000, columns: 1000 } as const;

/** Arguments of tools. Options of questions are read by name. */
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

/** Rules of an argument. */
export interface Parameter {
  readonly description: string;
  readonly rule: OptionRule;
  /** Converts the JSON to the library's value. Default: the same value. */
  readonly read?: (value: unknown) => unknown;
}

/** Arguments of a tool, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

const siteRule: OptionRule = {
  takes: "an id or a name",
  schema: { type: ["string", "integer"] },
  accepts: (value) => Number.isSafeInteger(value) || text.accepts(value),
};

const gridRule = objectOf("an object of from, until and every");

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

/** A table of the rows, with all columns that any row has. The library rejects invalid plans. */
function readPlan(plan: unknown): unknown {
  if (!Array.isArray(plan) || !planRule.accepts(plan)) return plan;
  const rows = plan as readonly Readonly<Record<string, unknown>>[];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // A table has each column in each row.
  if (names.length > requestLimits.columns) {
    throw new ArgumentError(`plan: the rows have ${names.length} different columns.`, {
      hint: 'Pass rows of {"date": …, "value": …}.',
      facts: { argument: "plan" },
    });
  }
  return toTable(names.map((name) => [name, rows.map((row) => memberOf(row, name) ?? null)]));
}

const time = "2025-06-30 (the whole day), 2025-W27 (the whole week) or 2025-06-30T12:00:00Z";

/**
 * Descriptions of all arguments. Options of questions, inspections and figures that are missing here cannot be given:
 * they are not JSON, or give access beyond the data.
 */
const descriptions = {
  site: "Id or name from `sites`.",
  layer: "Semantic type or dataset name from `layers`.",
  layers: "Layers of the site, one per capture, in order of time.",
  column: "Property column from `describe`.",
  at: `The time: ${time}.`,
  from: `The first or earlier time: ${time}.`,
  every: "Interval between dates: day, week, month, quarter, year, or an ISO duration (P14D).",
  dates: `The dates: an array, each ${time}; or {from, until, every}.`,
  since: `Date of the previous report, for changes since then: ${time}.`,
  by: "A base field or property column to group by; aging and flow also accept an array.",
  weight: 'Weight of each feature, for quantities: a column of numbers, "length" (m) or "area" (m²).',
  unit: "Unit of the weights or numbers, if their definition has none.",
  credits: 'Share from 0 to 1 that each value earns: {"DUG": 0.3, "CLOSED": 1}.',
  stage: "Property column of the credits.",
  stages: "Values from first to last. Default: the values of the credits, or of the column.",
  plan: 'A column of planned dates, or the planned quantity by date: [{"date": "2025-06-30", "value": 120}].',
  total: "Count of features, or sum of weights, for 100 %. Default: all features.",
  until: `The last or later time, or the end of open intervals: ${time}. Default: when the log was read.`,
  due: "Property column with the due date.",
  buckets: "Upper limits of the age buckets except the last, in days, ascending. Default: [7, 30, 90].",
  groupAt: "Time at which grouping properties are read: start of a spell (default), or its end.",
  confidence: "Confidence of bands and limits, between 0 and 1. Default: 0.95.",
  trials: "Count of simulations. Default: 10,000.",
  seed: "Random seed: the same seed returns the same forecast. Default: 1.",
  weeks: "Maximum count of past weeks to resample. Default: 26.",
  backtests: "Maximum count of past forecasts to check against actual dates. Default: 40.",
  moreThan: "Minimum delay: ISO duration of weeks, days or less (P7D). Default: P1D.",
  order: 'Array of values from first to last; steps and transitions also accept "options".',
  fillUnknown: "Value before the first change.",
  unknownStart: "How to treat features whose start is unknown.",
  absent: "How to treat features that did not exist yet. Default: drop.",
  value: "A value of the column, as `describe` lists them.",
  components: "Layers of the site, or an object of layers by component. Default: all layers of components.",
  classColumn: "The column with the class of an anomaly.",
  severityColumn: 'The column with the severity, or the severity of each class: {"hot_spot": 2, "string": 3}.',
  factors: 'Lost share of a module\'s power by class, from 0 to 1: {"hot_spot": 0.1, "string": 1}.',
  modules: 'Count of modules per anomaly: a number, a column, or a number for each class: {"string": 24}.',
  ratedPower: "The rated power of a module in W: a number, a column, or a number for each class.",
  yield: "The specific yield, in kWh a year for each kWp.",
  tariff: "Price of a kWh, in any currency.",
  peakPower: 'The peak power of the site in MWp, or "site": the value of its record.',
  modulesInspected: "Count of inspected modules: a number for all captures, or an array with one per capture.",
  blockColumn: "The column with the block of an anomaly.",
  surveyArea:
    "Whether anomalies outside of the blocks that a capture covered are not surveyed instead of fixed. Default: false.",
  maxMeters: "Maximum distance in meters of the same anomaly between captures. Required with two or more captures.",
  relation: "Column with the id of the same anomaly in an earlier capture.",
  fixed: '{"column", "values"}: column and values that mark anomalies as fixed.',
  labels: "Name of each capture. Default: 1, 2, …",
  forecast: "Whether to draw a forecast, or its options.",
  done: 'Values of finished features. Default: ["CLOSED"].',
  exclude: "Values to exclude.",
  features: "Ids of the features to draw.",
  thresholds: "Limits of classes of numbers, ascending.",
  bins: "Approximate count of bars, or an array of all edges.",
  measure:
    "Quantity to draw: a number column for pareto, percent or quantity for progressBars, a key figure for inspections.",
  swipe: "Whether to overlay two dates with a slider.",
  first: "Whether to draw the first capture, too.",
  knownAt: `Use only changes recorded by this time: ${time}, or a change id.`,
  calendar:
    'Working days and hours, for lengths in working time: {"timeZone": "Europe/Madrid", "weekend": ["saturday", "sunday"], "holidays": ["2025-08-15"], "hours": "08:00-17:00"}.',
  timeZone: "IANA time zone of calendar dates. Default: UTC.",
  columns: "Columns to return in addition to id and visible_id. Geometries are returned only if listed.",
  where: 'Rows to return: a value, or an array of values, by column: {"STATUS": ["OPEN"]}.',
  query:
    "One SELECT of DuckDB's SQL. Each semantic type is a view with readable columns; TRENCHES_AT('2025-06-30') is its past, TRENCHES_STATES(…) the state of each value, TRENCHES_KNOWN_AT(…, …) its past as known at another date, TRENCHES_HISTORY all intervals. SHOW TABLES lists tables and views.",
  part: "Another table of the answer. Default: the main one.",
  kind: "The kind of the figure.",
  limit: `Maximum count of rows. Default: ${answerLimits.rows}.`,
  offset: "Rows to skip. Default: 0.",
} as const;

/** Name of an argument. */
export type ParameterName = keyof typeof descriptions;

/** Rules of arguments that are not options of calls, and of options that the calls check themselves. */
const ownRules: { readonly [Name in ParameterName]?: OptionRule } = {
  site: siteRule,
  layer: text,
  layers: texts,
  column: text,
  at: text,
  from: text,
  every: text,
  dates: datesRule,
  since: text,
  plan: planRule,
  until: text,
  moreThan: text,
  components: { ...anything, schema: { type: ["array", "object"] } },
  classColumn: text,
  peakPower: {
    takes: 'a number of MWp above 0 or "site"',
    texts: ["site"],
    schema: { type: ["number", "string"] },
    accepts: (value) => value === "site" || (numeric.accepts(value) && Number(value) > 0),
  },
  surveyArea: flag,
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

/** Arguments with the given names. */
export function parameters(...names: readonly ParameterName[]): Parameters {
  return Object.fromEntries(names.map((name) => [name, parameter(name)]));
}

/** An argument with a fixed set of strings. */
export function choiceParameter(name: ParameterName, choices: readonly string[]): Parameters {
  return { [name]: parameter(name, oneOf(...choices)) };
}

/** Options of a call that can be given as JSON. */
export function optionParameters(rules: Readonly<Record<string, OptionRule>>): Parameters {
  const isDescribed = (name: string): name is ParameterName => Object.hasOwn(descriptions, name);
  return Object.fromEntries(
    Object.entries(rules).flatMap(([name, rule]): readonly [string, Parameter][] => {
      // The same name may be a time in other questions.
      if (takesColumnValues(rule)) return [[name, { description: sentence(rule.takes), rule }]];
      return isDescribed(name) ? [[name, parameter(name, rule === anything ? undefined : rule)]] : [];
    }),
  );
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Arguments of a tool, and the required ones. */
export interface ParameterList {
  readonly takes: Parameters;
  readonly needs: readonly string[];
}

/** JSON Schema of a tool's arguments. */
export function inputSchema({ takes, needs }: ParameterList) {
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
 * Rejects too many arguments for a quick answer: tools compare each with the values of a column.
 *
 * @throws ArgumentError for more than 10,000 values and keys
 */
function checkCount(tool: string, given: unknown): void {
  const { values: most } = requestLimits;
  const left: unknown[] = [given];
  let count = 0;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const members = Object.values(value);
    count += members.length;
    if (count > most) {
      throw new ArgumentError(`${tool}: more than ${formatCount(most)} values in the arguments.`, {
        hint: "Pass fewer values. Pass many dates as {from, until, every}.",
        facts: { tool, limit: most },
      });
    }
    for (const one of members) left.push(one);
  }
}

/**
 * Checks the arguments of a tool.
 *
 * @returns the library's values
 * @throws ArgumentError for invalid, unknown and missing arguments
 */
export function checkArguments(tool: string, { takes, needs }: ParameterList, given: unknown): ToolArguments {
  checkCount(tool, given);
  const rules = Object.fromEntries(
    Object.entries(takes).map(([name, { rule }]) => [name, needs.includes(name) ? required(rule) : rule]),
  );
  const args = (given ?? {}) as ToolArguments;
  checkOptions<ToolArguments>(tool, args, rules as unknown as OptionRules<ToolArguments>);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const read = takes[name]?.read;
      return [name, read && value !== undefined ? read(value) : value];
    }),
  );
}
