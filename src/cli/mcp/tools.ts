import type { CallToolResult, JSONObject } from "@modelcontextprotocol/server";
import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { type Finding, findingsOf } from "../../core/finding.js";
import { anything } from "../../core/options.js";
import { argumentsOf, askByName, givenNames, specifications } from "../../history/questions/by-name.js";
import { type ProgressOptions, progressRules } from "../../history/questions/progress.js";
import { progress } from "../../history/questions/site-progress.js";
import { partTables, type Specification } from "../../history/questions/specification.js";
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
import type { LayerCache } from "./layer-cache.js";
import type { RecentCache } from "./recent-cache.js";
import { type Found, outputSchema, rowsText, toolAnswer } from "./tool-answer.js";
import {
  answerLimits,
  choiceParameter,
  optionParameters,
  type ParameterName,
  type Parameters,
  parameters,
  type Taken,
  type ToolArguments,
} from "./tool-arguments.js";

/** What tools ask. */
export interface Asked {
  readonly source: Source;
  readonly layers: LayerCache;
  /** What was found lately: other rows or parts of it are not asked for again. */
  readonly found: RecentCache<Found>;
  readonly redact: boolean;
  readonly maxRows: number;
  /** Longest time of a query, in milliseconds. */
  readonly timeoutMs: number;
}

/** One question that can be asked. */
export interface Tool extends Taken {
  readonly description: string;
  readonly outputSchema: JSONObject & { readonly type: "object" };
  /** Checks the rest of its arguments, which were checked by their names, and answers. */
  call(asked: Asked, given: ToolArguments): Promise<CallToolResult>;
}

/** A tool whose answer is a part of a table. */
interface TableTool extends Taken {
  readonly description: string;
  /** Tables that it has besides. */
  readonly parts?: readonly string[];
  readonly facts?: readonly string[];
  /** Whether it reads no more rows than are given. */
  readonly isBounded?: boolean;
  run(asked: Asked, given: ToolArguments): Promise<Found>;
}

function tableTool(name: string, tool: TableTool): Tool {
  const { description, takes, needs, parts = [], facts = [], isBounded = false, run } = tool;
  const find = (
    asked: Asked,
    { where: _w, columns: _c, part: _p, limit: _l, offset: _o, ...question }: ToolArguments,
  ) => asked.found.get(jsonText([name, question]), () => run(asked, question));
  return {
    description,
    takes: { ...takes, ...(parts.length > 0 ? choiceParameter("part", parts) : {}) },
    needs,
    outputSchema: outputSchema(parts, facts),
    async call(asked, given) {
      const answer = toolAnswer(await (isBounded ? run : find)(asked, given), given, asked);
      return dataResult(answer, rowsText(answer));
    },
  };
}

/**
 * An answer as structured content, and as text for those who read no other.
 *
 * @param words of ours alone, to stand in front of the data
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
/** What tools about the past take. */
export const ofHistory: Parameters = { ...ofLayer, ...parameters("knownAt", "timeZone") };
export const layerNames: readonly string[] = Object.keys(ofLayer);

/** Tools about what is there now. */
const present: Readonly<Record<string, TableTool>> = {
  sites: {
    description: "The sites that can be read: id, name, type, stage, power.",
    takes: rows,
    needs: [],
    run: async ({ source, redact }) => toldOf(await source.sites({}, { redact, progress: false })),
  },
  layers: {
    description:
      "The datasets of a site that hold features, and their semantic types. Each is a `layer` of the other tools.",
    takes: { ...parameters("site"), ...rows },
    needs: ["site"],
    run: async (asked, { site }) =>
      toldOf(await (await siteOf(asked, site)).layers({ redact: asked.redact, progress: false })),
  },
  describe: {
    description:
      "The data dictionary of a layer, one row a column: what it means, type, unit, nulls, most frequent values. Its part options has the choices of each column. Ask it before the columns are used.",
    takes: { ...ofLayer, ...rows },
    needs: layerNames,
    parts: ["options"],
    run: async ({ layers }, { site, layer }) => {
      const found = await layers.layer(required("site", site), required("layer", layer));
      return dictionaryOf(found.layer);
    },
  },
};

/** The columns of a layer, and what may stand in them. */
export function dictionaryOf(layer: Layer): Found {
  const options = layer.schema.flatMap(({ column, definitions }) =>
    definitions.flatMap(optionList).map(({ code, label }) => ({ column, code, label: label ?? null })),
  );
  const table = toTable([
    ["column", options.map(({ column }) => column)],
    ["code", options.map(({ code }) => code)],
    ["label", options.map(({ label }) => label)],
  ]);
  const parts = new Map([["options", withProvenance(table, layer.provenance)]]);
  return { table: layer.describe(), findings: layer.findings, parts };
}

/** Tools about the past: the questions of a history that give a table, and take none. */
const past: Readonly<Record<string, TableTool>> = Object.fromEntries(
  [...specifications]
    .filter(([, { memory, takes }]) => memory !== undefined && !takes.includes("table"))
    .map(([name, question]) => [name, pastTool(name, question)]),
);

/** What a question takes as a tool. */
export function questionParameters(question: Specification): Parameters {
  const names = givenNames({ ...question, options: {} });
  // The columns of its table are chosen when that is there.
  const { columns: _, ...options } = question.options as Readonly<Record<string, never>>;
  return { ...parameters(...(names as readonly ParameterName[])), ...optionParameters(options) };
}

function pastTool(name: string, question: Specification): TableTool {
  const { summary, parts, facts = [] } = question;
  return {
    description: parts ? `${summary} Its parts: ${parts.join(", ")}.` : summary,
    takes: { ...ofHistory, ...questionParameters(question), ...rows },
    needs: [...layerNames, ...question.takes.filter((given) => given !== "dates")],
    ...(parts && { parts }),
    facts,
    run: async (asked, given) => {
      const { layer, history } = await historyOf(asked, given);
      const table = askHistory(history, name, question, given);
      // Findings tell of the last question, so it was asked first.
      return {
        table,
        findings: [...layer.findings, ...history.findings],
        ...(parts && { parts: partTables(table, question) }),
        ...(facts.length > 0 && {
          facts: Object.fromEntries(facts.map((fact) => [fact, Reflect.get(table, fact) as unknown])),
        }),
      };
    },
  };
}

/** A layer with its history, as it was known at the time that is asked for. */
export async function historyOf({ layers }: Asked, { site, layer, timeZone, knownAt }: ToolArguments) {
  const found = await layers.layer(required("site", site), required("layer", layer), timeZone);
  const whole = await found.history();
  return { layer: found.layer, history: knownAt === undefined ? whole : whole.knownAt(knownAt) };
}

/** The table of a question, asked by the names of its arguments. */
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
    "How far the work of a whole site is: `progress` of each layer of components in one table. Each option but at, since and by may be an object of one for each component.",
  takes: {
    ...parameters("site", "timeZone"),
    ...ofEach({ ...parameters("column", "components"), ...optionParameters(progressRules) }),
    ...rows,
  },
  needs: ["site"],
  parts: ["stages", "totals"],
  run: async (asked, given) => {
    const { redact } = asked;
    const { site, timeZone } = given;
    const read = { redact, progress: false, ...(timeZone !== undefined && { timeZone }) } as const;
    const options = optionsOf(given, ["column", "components", ...Object.keys(progressRules)]) as ProgressOptions;
    const table = await progress(await siteOf(asked, site), { ...options, read });
    const { stages, totals, findings } = table;
    return { table, findings, parts: new Map(Object.entries({ stages, totals })) };
  },
};

/** Options that may be objects of one for each component, which the library judges. */
function ofEach(all: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(all).map(([name, parameter]) => {
      if (["at", "since", "by", "components"].includes(name)) return [name, parameter];
      return [name, { ...parameter, rule: { ...anything, takes: parameter.rule.takes } }];
    }),
  );
}

/** The options of inspections, as tools take them. */
export const inspectionParameters: Parameters = {
  ...parameters("site", "layers", "timeZone"),
  ...optionParameters({ ...captureRules, ...inspectionRules }),
  // The library takes the site itself.
  ...parameters("peakPower"),
};

const inspectionTool: TableTool = {
  description:
    "What thermal captures found, in modules, power, energy and money, and how it changed since the capture before. Its parts: totals, changes, anomalies.",
  takes: { ...inspectionParameters, ...rows },
  needs: ["site", "layers", "classes"],
  parts: ["totals", "changes", "anomalies"],
  run: async (asked, given) => {
    const table = await inspect(asked, given);
    const { totals, changes, anomalies, findings } = table;
    return { table, findings, parts: new Map(Object.entries({ totals, changes, anomalies })) };
  },
};

/** Asks for an inspection of layers of a site. */
export async function inspect(asked: Asked, given: ToolArguments): Promise<Inspection> {
  const { site, layers: flights = [], classes, peakPower, coverage, timeZone } = given;
  const own = ["classes", "peakPower", "coverage"];
  const names = Object.keys({ ...captureRules, ...inspectionRules }).filter((name) => !own.includes(name));
  const options = {
    ...optionsOf(given, names),
    classes: String(required("classes", classes)),
    ...(typeof peakPower === "number" && { peakPower }),
    ...(peakPower === "site" && { peakPower: await siteOf(asked, site) }),
    ...(coverage === true && { coverage: asked.source }),
  };
  const layers: Layer[] = [];
  for (const name of flights) layers.push((await asked.layers.layer(required("site", site), name, timeZone)).layer);
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
  { source, maxRows, timeoutMs }: Asked,
  { query, timeZone, limit = answerLimits.rows, offset = 0 }: ToolArguments,
): Promise<Found> {
  if (!(source instanceof Snapshot)) throw new TypeError("SQL is for snapshots");
  const findings: Finding[] = [];
  const most = Math.min(limit, maxRows);
  const stop = new AbortController();
  const tooLong = new ArgumentError(`The query took longer than ${timeoutMs / 1000} s.`, {
    hint: "Ask for less at once.",
    facts: { timeoutMs },
  });
  const timer = setTimeout(() => stop.abort(tooLong), timeoutMs);
  try {
    const table = await source.sql(required("query", query), {
      sandbox: true,
      timeZone,
      signal: stop.signal,
      // One more tells whether there are more.
      limit: most + 1,
      offset,
      onFinding: (finding) => findings.push(finding),
    });
    const isCut = table.numRows() > most;
    const hasGeometries = /\bgeometry\b/i.test(required("query", query));
    return { table: isCut ? table.slice(0, most) : table, findings, isCut, leftOut: offset, hasGeometries };
  } finally {
    clearTimeout(timer);
  }
}

function toldOf(table: ColumnTable): Found {
  return { table, findings: findingsOf(table) };
}

function siteOf({ source, redact }: Asked, site: ToolArguments["site"]): Promise<SiteSource> {
  return source.site(required("site", site), { redact, progress: false });
}

/** Needed arguments were checked. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new ArgumentError(`${name} is missing.`);
  return value;
}

/** The tools for a source that answer with tables. SQL is for snapshots, and where nobody's data have to be hidden. */
export function tableTools(source: Source, redact: boolean): ReadonlyMap<string, Tool> {
  const hasSql = source instanceof Snapshot && !redact;
  const all = { ...present, ...past, siteProgress, inspection: inspectionTool, ...(hasSql ? { sql } : {}) };
  return new Map(Object.entries(all).map(([name, tool]) => [name, tableTool(name, tool)]));
}
