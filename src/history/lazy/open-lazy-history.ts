import { setTimeout as delay } from "node:timers/promises";
import type { ResolvedFilters } from "../../api/filters.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { anything, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import { layerRules } from "../../layer/layer-data.js";
import { type PropertyColumn, propertyColumns } from "../../layer/property-columns.js";
import { canonicalKey } from "../../layer/property-key.js";
import { FeatureRows, type InputWithGone } from "../cell/feature-rows.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { goneDiagnostics, reportNew } from "../history-diagnostics.js";
import { type HistoryOptions, historyRules } from "../history-options.js";
import { timeDiagnostics } from "../log/time-diagnostics.js";
import type { DuckDB } from "../questions/engine/duckdb.js";
import type { Engine } from "../questions/engine/engine.js";
import { askOddTimes, surveyLog, undatedIds } from "../questions/engine/log-survey.js";
import { changesOf, type QuestionData, Remembered } from "../questions/engine/query-in-batches.js";
import { scopeLabels } from "../questions/plan/value-kinds.js";
import type { Scope, ScopeColumn } from "../questions/sql/statement-scope.js";
import { LazyHistory } from "./lazy-history.js";

/** Options of `snapshot.lazyHistory()`: those of a history, and the engine. */
export interface LazyHistoryOptions extends LayerOptions, HistoryOptions {
  /** The engine: `duckdb()` in this process, or `trino()`, which needs the snapshot's tables. Default: `duckdb()`. */
  readonly engine?: DuckDB | Engine | undefined;
}

/** Rules for the options of `snapshot.lazyHistory()`. */
export const questionsRules: OptionRules<LazyHistoryOptions> = { ...historyRules, ...layerRules, engine: anything };

/** The data and functions for opening questions. */
export interface QuestionsGround {
  /** Reads the data of the features' layer. */
  readonly readInput: () => Promise<InputWithGone>;
  /** Filters that select the features. */
  readonly filters: ResolvedFilters;
  /** Datasets whose features are excluded from layers. */
  readonly hiddenDatasets: readonly number[];
  /** Whether to include deleted features. */
  readonly hasGone: boolean;
  /** Total number of features in the engine. */
  readonly storedFeatures: number;
  /** When the log was read, milliseconds since 1970. */
  readonly readAt: number;
  /** Returns what to show instead of a user; undefined to show the user. */
  readonly pseudonym: ((user: unknown) => unknown) | undefined;
  readonly engine: Engine;
  /** Closes resources opened for the questions. */
  readonly close: () => Promise<void>;
}

/** Above this share of all features, changes are not selected by feature. */
const NARROW = 0.5;
/** Time in which an engine receives its first statement. */
const ENGINE_STARTS_MS = 5;

/** Opens questions: determines their columns, for which the engine reads the keys of the log. */
export async function openQuestions(ground: QuestionsGround, options: LazyHistoryOptions): Promise<LazyHistory> {
  const { engine, readAt } = ground;
  const { signal, strict = true } = options;
  const unlimited = emptyScope(ground);
  const [survey, { input, gone }] = await both(surveyLog(engine, unlimited, signal), readBehind(ground));
  const features = new FeatureRows(input.features, gone?.us);
  const ids = Array.from(features.base("id"), Number);
  const wide: Scope = {
    ...unlimited,
    ids: ids.length > 0 ? [ids[0] as number, ids.at(-1) as number] : undefined,
    isNarrow: ids.length < NARROW * ground.storedFeatures,
    logSites: survey.sites,
  };
  const undated = survey.undated > 0 ? await undatedIds(engine, wide, strict, signal) : [];
  const keys = [...survey.datedByKey.keys()];
  const named = propertyColumns(input, keys);
  refuseSharedKeys(named.columns.map(scopeColumn));
  const chosen = chooseColumns(
    named.columns.map(({ column }) => column),
    options.columns,
  );
  const columns = chosen.map((index) => named.columns[index] as PropertyColumn);
  const scoped = columns.map(scopeColumn);
  const all = [...new Set([...keys, ...scoped.flatMap((column) => column.keys)])];
  const labels = await scopeLabels(engine, wide, input, all, signal);
  const scope: Scope = { ...wide, columns: scoped, labels };
  const data: QuestionData = {
    engine,
    scope,
    features,
    rowOf: new Map(ids.map((id, row) => [id, row])),
    columns,
    names: columns.map(({ column }) => column),
    extent: { changeCount: changesOf(scope, survey.datedByKey), firstUs: survey.firstUs, lastUs: survey.lastUs },
    origin: input.origin,
    timeZone: input.timeZone,
    readAtUs: readAt * 1000,
    knownUntil: undefined,
    pseudonym: ground.pseudonym,
    kinds: new Map(),
    presence: new Remembered(),
  };
  const oddTimes = new Remembered<readonly Diagnostic[]>();
  const readDiagnostics = () =>
    oddTimes.get(async () => [
      // Those of the layer explain an empty result; its time zone is that of the history.
      ...input.diagnostics.filter(({ code }) => ids.length === 0 || code === "time-zone-differs"),
      ...timeDiagnostics({ ...(await askOddTimes(data)), undated: survey.undated, undatedIds: undated }),
      ...goneDiagnostics(features),
      ...named.diagnostics,
    ]);
  const lazy = new LazyHistory(data, readDiagnostics, ground.close);
  // Without a callback they are computed on demand. Those of the layer's input are reported already.
  if (options.onDiagnostic) reportNew(options.onDiagnostic, await lazy.diagnostics, input.diagnostics);
  return lazy;
}

/** Runs the engine while the layer is read. If one of them fails, the other is stopped. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** Reading the layer blocks this thread, so the engine must have started before. */
async function readBehind({ readInput }: QuestionsGround): Promise<InputWithGone> {
  await delay(ENGINE_STARTS_MS);
  return readInput();
}

function emptyScope({ engine, filters, hiddenDatasets, hasGone }: QuestionsGround): Scope {
  return {
    dialect: engine.dialect,
    filters,
    hiddenDatasets,
    ids: undefined,
    isNarrow: false,
    logSites: undefined,
    columns: [],
    labels: [],
    knownUpTo: undefined,
    lastKnownUs: undefined,
    hasGone,
  };
}

function scopeColumn({ column, keys }: PropertyColumn): ScopeColumn {
  return { name: column, keys: [...new Set(keys.map(({ key }) => canonicalKey(key)))] };
}

/** Engines have canonical keys, and cannot distinguish columns whose keys differ only in case. */
function refuseSharedKeys(columns: readonly ScopeColumn[]): void {
  const owners = new Map<string, string>();
  for (const { name, keys } of columns) {
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner !== undefined) throw sharedKey(key, owner, name);
      owners.set(key, name);
    }
  }
}

function sharedKey(key: string, column: string, other: string): ArgumentError {
  return new ArgumentError(
    `The columns ${showValue(column)} and ${showValue(other)} have the property key ${key} in upper and lower case, which engines cannot distinguish.`,
    {
      hint: "Use a history in memory: await snapshot.history(…).",
      facts: { property_key: key, columns: [column, other] },
    },
  );
}
