import type { CallToolResult, JSONObject } from "@modelcontextprotocol/server";
import type { ColumnTable } from "arquero";
import { type Diagnostic, diagnosticsOf } from "../../core/diagnostic.js";
import { ArgumentError, QueryError } from "../../core/errors.js";
import { anything } from "../../core/options.js";
import { argumentsOf, askByName, givenNames, specifications } from "../../history/questions/define/question-methods.js";
import { partTables, type Specification } from "../../history/questions/define/specification.js";
import { type ProgressOptions, progressRules } from "../../history/questions/progress.js";
import { progress } from "../../history/site/site-progress.js";
import { captureRules } from "../../layer/captures.js";
import { type Inspection, inspectionRules } from "../../layer/inspect-captures.js";
import { inspection } from "../../layer/inspection.js";
import type { History, Layer } from "../../layer/layer.js";
import { optionList } from "../../layer/option-labels.js";
import { Snapshot } from "../../snapshot/snapshot.js";
import type { SiteSource } from "../../source/site-source.js";
import type { Source } from "../../source/source.js";
import { toTable, withProvenance } from "../../tables/column/table.js";
import { jsonText } from "../../tables/export/export-values.js";
import { markData } from "./data-mark.js";
import type { LayerCache, RecentCache } from "./layer-cache.js";
import { outputSchema, rowsText, type ToolResult, toolAnswer } from "./tool-answer.js";
import {
  answerLimits,
  choiceParameter,
  optionParameters,
  type ParameterList,
  type ParameterName,
  type Parameters,
  parameters,
  type ToolArguments,
} from "./tool-arguments.js";

/** What tools work with. */
export interface ToolContext {
  readonly source: Source;
  readonly layers: LayerCache;
  /** Recent results, so that other rows and parts of them are not computed again. */
  readonly answers: RecentCache<ToolResult>;
  readonly redact: boolean;
  readonly maxRows: number;
  /** Maximum time of a query, in milliseconds. */
  readonly timeoutMs: number;
}

/** A tool. */
export interface Tool extends ParameterList {
  readonly description: string;
  readonly outputSchema: JSONObject & { readonly type: "object" };
  /** Checks the arguments whose names were already checked, and answers. */
  call(context: ToolContext, given: ToolArguments): Promise<CallToolResult>;
}

/** A tool that returns part of a table. */
interface TableTool extends ParameterList {
  readonly description: string;
  /** Names of additional tables. */
  readonly parts?: readonly string[];
  readonly facts?: readonly string[];
  /** Whether it reads no more rows than it returns. */
  readonly isBounded?: boolean;
  run(context: ToolContext, given: ToolArguments): Promise<ToolResult>;
}

function tableTool(name: string, tool: TableTool): Tool {
  const { description, takes, needs, parts = [], facts = [], isBounded = false, run } = tool;
  const find = (
    context: ToolContext,
    { where: _w, columns: _c, part: _p, limit: _l, offset: _o, ...question }: ToolArguments,
  ) => context.answers.get(jsonText([name, question]), () => run(context, question));
  return {
    description,
    takes: { ...takes, ...(parts.length > 0 ? choiceParameter("part", parts) : {}) },
    needs,
    outputSchema: outputSchema(parts, facts),
    async call(context, given) {
      const answer = toolAnswer(await (isBounded ? run : find)(context, given), given, context);
      return dataResult(answer, rowsText(answer));
    },
  };
}

/**
 * A result as structured content, and as text for clients that do not read structured content.
 *
 * @param words without data, to put in front of the data
 */
export function dataResult(answer: object, words: string): CallToolResult {
  const text = jsonText(answer);
  return {
    content: [{ type: "text", text: `${words}\n${markData(text)}` }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

const rows = parameters("where", "columns", "limit", "offset");
const ofLayer = parameters("site", "layer");
/** Arguments of tools about the past. */
export const ofHistory: Parameters = { ...ofLayer, ...parameters("knownAt", "timeZone") };
export const layerNames: readonly string[] = Object.keys(ofLayer);

/** Tools about current values. */
const present: Readonly<Record<string, TableTool>> = {
  sites: {
    description: "The sites that can be read: id, name, type, stage, power.",
    takes: rows,
    needs: [],
    run: async ({ source, redact }) => toldOf(await source.sites({}, { redact, showProgress: false })),
  },
  layers: {
    description:
      "The datasets of a site with features, and their semantic types. Use each as `layer` in the other tools.",
    takes: { ...parameters("site"), ...rows },
    needs: ["site"],
    run: async (context, { site }) =>
      toldOf(await (await siteOf(context, site)).layers({ redact: context.redact, showProgress: false })),
  },
  describe: {
    description:
      "The data dictionary of a layer, one row per column: meaning, type, unit, nulls, most frequent values. Its part options lists the choices of each column. Call it before you use the columns.",
    takes: { ...ofLayer, ...rows },
    needs: layerNames,
    parts: ["options"],
    run: async ({ layers }, { site, layer }) => {
      const entry = await layers.layer(required("site", site), required("layer", layer));
      return dictionaryOf(entry.layer);
    },
  },
};

/** The data dictionary of a layer. */
export function dictionaryOf(layer: Layer): ToolResult {
  const options = layer.schema.flatMap(({ column, definitions }) =>
    definitions.flatMap(optionList).map(({ code, label }) => ({ column, code, label: label ?? null })),
  );
  const table = toTable([
    ["column", options.map(({ column }) => column)],
    ["code", options.map(({ code }) => code)],
    ["label", options.map(({ label }) => label)],
  ]);
  const parts = new Map([["options", withProvenance(table, layer.provenance)]]);
  return { table: layer.describe(), diagnostics: layer.diagnostics, parts };
}

/** Tools about the past: the questions of a history that return a table and need no table. */
const past: Readonly<Record<string, TableTool>> = Object.fromEntries(
  [...specifications]
    .filter(([, { memory, takes }]) => memory !== undefined && !takes.includes("table"))
    .map(([name, question]) => [name, pastTool(name, question)]),
);

/** Arguments of a question as a tool. */
export function questionParameters(question: Specification): Parameters {
  const names = givenNames({ ...question, options: {} });
  // Columns of its table are selected from the result.
  const { columns: _, ...options } = question.options as Readonly<Record<string, never>>;
  return { ...parameters(...(names as readonly ParameterName[])), ...optionParameters(options) };
}

function pastTool(name: string, question: Specification): TableTool {
  const { summary, parts, facts = [] } = question;
  return {
    description: parts ? `${summary} Parts: ${parts.join(", ")}.` : summary,
    takes: { ...ofHistory, ...questionParameters(question), ...rows },
    needs: [...layerNames, ...question.takes.filter((given) => given !== "dates")],
    ...(parts && { parts }),
    facts,
    run: async (context, given) => {
      const { layer, history } = await historyOf(context, given);
      const table = askHistory(history, name, question, given);
      // Diagnostics are those of the last question, so ask before reading them.
      return {
        table,
        diagnostics: [...layer.diagnostics, ...history.diagnostics],
        ...(parts && { parts: partTables(table, question) }),
        ...(facts.length > 0 && {
          facts: Object.fromEntries(facts.map((fact) => [fact, Reflect.get(table, fact) as unknown])),
        }),
      };
    },
  };
}

/** A layer and its history, as known at the requested time. */
export async function historyOf({ layers }: ToolContext, { site, layer, timeZone, knownAt }: ToolArguments) {
  const entry = await layers.layer(required("site", site), required("layer", layer), timeZone);
  const whole = await entry.history();
  return { layer: entry.layer, history: knownAt === undefined ? whole : whole.knownAt(knownAt) };
}

/** Returns the table of a question, by the names of its arguments. */
export function askHistory(
  history: History,
  name: string,
  question: Specification,
  { columns: _, ...given }: ToolArguments,
): ColumnTable {
  return askByName<ColumnTable>(
    history,
    name,
    argumentsOf(name, question, given, (argument) => argument),
  );
}

const siteProgress: TableTool = {
  description:
    "Progress of a whole site: `progress` of each layer of components in one table. Each option except at, since and by can be an object by component.",
  takes: {
    ...parameters("site", "timeZone"),
    ...ofEach({ ...parameters("column", "components"), ...optionParameters(progressRules) }),
    ...rows,
  },
  needs: ["site"],
  parts: ["stages", "totals"],
  run: async (context, given) => {
    const { redact } = context;
    const { site, timeZone } = given;
    const read = { redact, showProgress: false, ...(timeZone !== undefined && { timeZone }) } as const;
    const options = optionsOf(given, ["column", "components", ...Object.keys(progressRules)]) as ProgressOptions;
    const table = await progress(await siteOf(context, site), { ...options, read });
    const { stages, totals, diagnostics } = table;
    return { table, diagnostics, parts: new Map(Object.entries({ stages, totals })) };
  },
};

/** Options that can be objects by component; the library checks them. */
function ofEach(all: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(all).map(([name, parameter]) => {
      if (["at", "since", "by", "components"].includes(name)) return [name, parameter];
      return [name, { ...parameter, rule: { ...anything, takes: parameter.rule.takes } }];
    }),
  );
}

/** Options of inspections, in the form of tools. */
export const inspectionParameters: Parameters = {
  ...parameters("site", "layers", "timeZone"),
  ...optionParameters({ ...captureRules, ...inspectionRules }),
  // The library passes the site itself.
  ...parameters("peakPower"),
};

const inspectionTool: TableTool = {
  description:
    "Anomalies of thermal captures in modules, power, energy and money, and changes since the previous capture. Parts: totals, changes, anomalies, conditions and documentation (by IEC TS 62446-3).",
  takes: { ...inspectionParameters, ...rows },
  needs: ["site", "layers", "classColumn"],
  parts: ["totals", "changes", "anomalies", "conditions", "documentation"],
  run: async (context, given) => {
    const table = await inspect(context, given);
    const { totals, changes, anomalies, conditions, documentation, diagnostics } = table;
    const parts = { totals, changes, anomalies, conditions, documentation };
    return { table, diagnostics, parts: new Map(Object.entries(parts)) };
  },
};

/** Runs an inspection of layers of a site. */
export async function inspect(context: ToolContext, given: ToolArguments): Promise<Inspection> {
  const { site, layers: captures = [], classColumn, peakPower, surveyArea, timeZone } = given;
  const ownOptions = ["classColumn", "peakPower", "surveyArea"];
  const names = Object.keys({ ...captureRules, ...inspectionRules }).filter((name) => !ownOptions.includes(name));
  const options = {
    ...optionsOf(given, names),
    classColumn: String(required("classColumn", classColumn)),
    ...(typeof peakPower === "number" && { peakPower }),
    ...(peakPower === "site" && { peakPower: await siteOf(context, site) }),
    ...(surveyArea === true && { surveyArea: context.source }),
  };
  const layers: Layer[] = [];
  for (const name of captures) layers.push((await context.layers.layer(required("site", site), name, timeZone)).layer);
  return inspection(layers, options);
}

function optionsOf(given: ToolArguments, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

const sql: TableTool = {
  description: "Runs one SELECT over the snapshot: no files, no network, bounded rows and time.",
  takes: parameters("query", "timeZone", "limit", "offset"),
  needs: ["query"],
  isBounded: true,
  run: runSql,
};

async function runSql(
  { source, maxRows, timeoutMs }: ToolContext,
  { query, timeZone, limit = answerLimits.rows, offset = 0 }: ToolArguments,
): Promise<ToolResult> {
  if (!(source instanceof Snapshot)) throw new TypeError("SQL is for snapshots");
  const diagnostics: Diagnostic[] = [];
  const most = Math.min(limit, maxRows);
  const stop = new AbortController();
  const tooLong = new QueryError(`sql: the query took longer than ${timeoutMs / 1000} s.`, {
    hint: "Add a WHERE or LIMIT clause.",
    facts: { timeoutMs },
  });
  const timer = setTimeout(() => stop.abort(tooLong), timeoutMs);
  try {
    const table = await source.sql(required("query", query), {
      sandbox: true,
      timeZone,
      signal: stop.signal,
      // One extra row shows whether there are more.
      limit: most + 1,
      offset,
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    const isCut = table.numRows() > most;
    const hasGeometries = /\bgeometry\b/i.test(required("query", query));
    return { table: isCut ? table.slice(0, most) : table, diagnostics, isCut, leftOut: offset, hasGeometries };
  } finally {
    clearTimeout(timer);
  }
}

function toldOf(table: ColumnTable): ToolResult {
  return { table, diagnostics: diagnosticsOf(table) };
}

function siteOf({ source, redact }: ToolContext, site: ToolArguments["site"]): Promise<SiteSource> {
  return source.site(required("site", site), { redact, showProgress: false });
}

/** The value of a required argument, which was checked. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new ArgumentError(`The argument ${name} is missing.`);
  return value;
}

/** Tools of a source that return tables. SQL needs a snapshot, and is disabled if person data is hidden. */
export function tableTools(source: Source, redact: boolean): ReadonlyMap<string, Tool> {
  const hasSql = source instanceof Snapshot && !redact;
  const all = { ...present, ...past, siteProgress, inspection: inspectionTool, ...(hasSql ? { sql } : {}) };
  return new Map(Object.entries(all).map(([name, tool]) => [name, tableTool(name, tool)]));
}
