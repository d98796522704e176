import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { type Finding, findingsOf } from "../../core/finding.js";
import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import { Snapshot } from "../../snapshot/snapshot.js";
import type { Source } from "../../source/source.js";
import type { ReadOnce } from "./read-once.js";
import type { ArgumentName, Taken, ToolArguments } from "./tool-arguments.js";

/** What tools ask. */
export interface Asked {
  readonly source: Source;
  readonly read: ReadOnce;
  readonly redact: boolean;
  readonly maxRows: number;
  /** Longest time of a query, in milliseconds. */
  readonly timeoutMs: number;
}

/** What a tool found. */
export interface Found {
  readonly table: ColumnTable;
  readonly findings: readonly Finding[];
  /** Whether there are more rows than the table has, which were not counted. */
  readonly isCut?: boolean;
  /** How many rows before those of the table were left out already. Default 0. */
  readonly leftOut?: number;
}

/** One question that can be asked. */
export interface Tool extends Taken {
  readonly description: string;
  run(asked: Asked, given: ToolArguments): Promise<Found>;
}

const rows: readonly ArgumentName[] = ["where", "columns", "limit", "offset"];
const ofLayer: readonly ArgumentName[] = ["site", "layer"];
const ofHistory: readonly ArgumentName[] = [...ofLayer, "knownAt", "timeZone"];

/** Tools about what is there now. */
const present: Readonly<Record<string, Tool>> = {
  sites: {
    description: "The sites that can be read: id, name, type, stage, power.",
    takes: rows,
    needs: [],
    run: async ({ source, redact }) => toldOf(await source.sites({}, { redact, progress: false })),
  },
  layers: {
    description:
      "The datasets of a site that hold features, and their semantic types. Each is a `layer` of the other tools.",
    takes: ["site", ...rows],
    needs: ["site"],
    run: async ({ source, redact }, { site }) => {
      const options = { redact, progress: false };
      return toldOf(await (await source.site(given("site", site), options)).layers(options));
    },
  },
  describe: {
    description:
      "The data dictionary of a layer, one row a column: what it means, type, unit, nulls, most frequent values. Ask it before the columns are used.",
    takes: [...ofLayer, ...rows],
    needs: ofLayer,
    run: async ({ read }, { site, layer }) => {
      const found = await read.layer(given("site", site), given("layer", layer));
      return { table: found.layer.describe(), findings: found.layer.findings };
    },
  },
};

function toldOf(table: ColumnTable): Found {
  return { table, findings: findingsOf(table) };
}

/** Tools about the past. */
const past: Readonly<Record<string, Tool>> = {
  asOf: {
    description:
      "A layer as it was at a time, one row a feature that existed. Geometries are given where `columns` names them.",
    takes: [...ofHistory, "at", ...rows],
    needs: [...ofLayer, "at"],
    run: (asked, args) => ask(asked, args, (history) => history.asOf(given("at", args.at))),
  },
  states: {
    description:
      "How each value at a time is known: logged, cleared, unchanged (the log has no change of it), unknown (all changes are later), absent; with the change, who and when.",
    takes: [...ofHistory, "at", ...rows],
    needs: [...ofLayer, "at"],
    run: (asked, args) => ask(asked, args, (history) => history.states(given("at", args.at))),
  },
  counts: {
    description:
      "How many features held each value of a column at each of many dates: `dates`, or `from`, `to` and `every`.",
    takes: [...ofHistory, "column", "dates", "from", "to", "every", "by", ...rows],
    needs: [...ofLayer, "column"],
    run: (asked, args) =>
      ask(asked, args, (history) => {
        const by = args.by === undefined ? {} : { by: args.by };
        return history.counts(given("column", args.column), gridOf(args), by);
      }),
  },
  diff: {
    description:
      "What changed between two times: each value that was changed, before and after, and features that appeared.",
    takes: [...ofHistory, "from", "to", ...rows],
    needs: [...ofLayer, "from", "to"],
    run: (asked, args) => ask(asked, args, (history) => history.diff(given("from", args.from), given("to", args.to))),
  },
  intervals: {
    description:
      "When each feature held which value of a column: value, state, valid_from, valid_to (excluded; null while it holds).",
    takes: [...ofHistory, "column", ...rows],
    needs: [...ofLayer, "column"],
    run: (asked, args) => ask(asked, args, (history) => history.intervals(given("column", args.column))),
  },
};

const sql: Tool = {
  description: "Runs one SELECT over the snapshot: no files, no network, bounded rows and time.",
  takes: ["query", "timeZone", "limit", "offset"],
  needs: ["query"],
  run: runSql,
};

/** The tools for a source. SQL is for snapshots, and where nobody's data have to be hidden. */
export function toolsOf(source: Source, redact: boolean): ReadonlyMap<string, Tool> {
  const hasSql = source instanceof Snapshot && !redact;
  return new Map([...Object.entries(present), ...Object.entries(past), ...(hasSql ? [["sql", sql] as const] : [])]);
}

async function ask(
  { read }: Asked,
  { site, layer, timeZone, knownAt }: ToolArguments,
  question: (history: History) => ColumnTable,
): Promise<Found> {
  const found = await read.layer(given("site", site), given("layer", layer), timeZone);
  const whole = await found.history();
  const history = knownAt === undefined ? whole : whole.knownAt(knownAt);
  // Findings tell of the last question, so it is asked first.
  const table = question(history);
  return { table, findings: [...found.layer.findings, ...history.findings] };
}

function gridOf({ dates, from, to, every }: ToolArguments): Grid {
  if (dates && from === undefined && to === undefined && every === undefined) return dates;
  if (!dates && from !== undefined && to !== undefined && every !== undefined) return { from, to, every };
  throw new ArgumentError("counts needs dates, or from, to and every.");
}

async function runSql(
  { source, maxRows, timeoutMs }: Asked,
  { query, timeZone, limit = 50, offset = 0 }: ToolArguments,
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
    const table = await source.sql(given("query", query), {
      sandbox: true,
      timeZone,
      signal: stop.signal,
      // One more tells whether there are more.
      limit: most + 1,
      offset,
      onFinding: (finding) => findings.push(finding),
    });
    const isCut = table.numRows() > most;
    return { table: isCut ? table.slice(0, most) : table, findings, isCut, leftOut: offset };
  } finally {
    clearTimeout(timer);
  }
}

/** Needed arguments were checked. */
function given<T>(name: ArgumentName, value: T | undefined): T {
  if (value === undefined) throw new ArgumentError(`${name} is missing.`);
  return value;
}
