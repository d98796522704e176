import { setTimeout as delay } from "node:timers/promises";
import type { ResolvedFilters } from "../../api/filters.js";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import { type PropertyColumn, propertyColumns } from "../../layer/property-columns.js";
import { canonicalKey } from "../../layer/property-key.js";
import { FeatureRows } from "../cell/feature-rows.js";
import type { InputWithGone } from "../cell/gone-rows.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { goneFindings } from "../history-findings.js";
import { timeFindings } from "../log/time-findings.js";
import { resolveTimeZone } from "../time/valid-time.js";
import { changesOf, type QuestionData, Remembered } from "./ask.js";
import type { Engine } from "./engine/engine.js";
import { askOddTimes, surveyLog, undatedIds } from "./log-survey.js";
import { Questions } from "./questions.js";
import type { QuestionsOptions } from "./questions-options.js";
import type { Scope, ScopeColumn } from "./sql/scope.js";
import { scopeLabels } from "./value-kinds.js";

/** What questions are asked of. */
export interface QuestionsGround {
  /** Reads what the layer of the features is made of. */
  readonly readInput: () => Promise<InputWithGone>;
  /** What selects the features. */
  readonly filters: ResolvedFilters;
  /** Datasets whose features are not among the layer features. */
  readonly hiddenDatasets: readonly number[];
  /** Whether features that are gone belong to them. */
  readonly hasGone: boolean;
  /** How many features the engine has in all. */
  readonly storedFeatures: number;
  /** When the log was read, milliseconds since 1970. */
  readonly readAt: number;
  /** What is shown in place of a person; the person if undefined. */
  readonly pseudonym: ((user: unknown) => unknown) | undefined;
  readonly engine: Engine;
  /** Closes what was opened for the questions. */
  readonly close: () => Promise<void>;
}

/** More features than this share of all are not looked for among the changes one by one. */
const NARROW = 0.5;
/** By then an engine has been sent its first statement. */
const ENGINE_STARTS_MS = 5;

/** Opens questions: names their columns, for which the engine looks through the keys of the log. */
export async function openQuestions(ground: QuestionsGround, options: QuestionsOptions): Promise<Questions> {
  const { engine, readAt } = ground;
  const { signal, strict = true } = options;
  const timeZone = resolveTimeZone(options.timeZone);
  const asked = emptyScope(ground);
  const [survey, { input, gone }] = await both(surveyLog(engine, asked, signal), readBehind(ground));
  const features = new FeatureRows(input.features, gone?.us);
  const ids = Array.from(features.base("id"), Number);
  const wide: Scope = {
    ...asked,
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
    timeZone,
    readAtUs: readAt * 1000,
    knownUntil: undefined,
    pseudonym: ground.pseudonym,
    kinds: new Map(),
    presence: new Remembered(),
  };
  const oddTimes = new Remembered<readonly Finding[]>();
  const readFindings = () =>
    oddTimes.get(async () => [
      // Why there are no features.
      ...(ids.length === 0 ? input.findings : []),
      ...timeFindings({ ...(await askOddTimes(data)), undated: survey.undated, undatedIds: undated }),
      ...goneFindings(features),
      ...named.findings,
    ]);
  return new Questions(data, readFindings, ground.close);
}

/** The engine works while the layer is read; neither is left at work when the other has failed. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** The layer keeps this thread busy, and the engine is to be at work by then. */
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

/** Keys are canonical to an engine, so that it cannot tell columns apart that hold one key in either case. */
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
    `Features have the property key ${key} in upper and in lower case, in the columns ${showValue(column)} and ${showValue(other)}, which engines do not tell apart.`,
    {
      hint: "Ask the history().",
      facts: { property_key: key, columns: [column, other] },
    },
  );
}
