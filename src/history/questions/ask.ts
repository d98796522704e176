import { EngineError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import type { Origin } from "../../core/provenance.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { FeatureRows } from "../cell/feature-rows.js";
import type { Presence } from "../cell/present-rows.js";
import type { PlainPoint } from "../time/valid-time.js";
import type { Engine, EngineRows } from "./engine/engine.js";
import type { ValueKind } from "./sql/cell-values.js";
import type { PartStatement, Scope } from "./sql/scope.js";

/**
 * Finds out what the values of some of the scope's columns are, for which the engine reads all of them. The answer is by
 * the columns' places; undefined for those that nobody has asked about.
 */
export type AskKinds = (columns: readonly number[]) => Promise<readonly (ValueKind | undefined)[]>;

/** A question whose arguments are known to be right. */
export interface Question<T> {
  /** Its answer as a table in this process. */
  table(signal: AbortSignal | undefined): Promise<T>;
  /**
   * The statement whose result is the same table, complete by itself.
   *
   * @param scope in the dialect of the engine that is to run it
   */
  statement(scope: Scope, kinds: AskKinds, signal: AbortSignal | undefined): string | Promise<string>;
  /** The same as several statements, where the text of one may be too long; made one after the other. */
  readonly statements?: (scope: Scope, signal: AbortSignal | undefined) => Promise<Iterable<string>>;
  /**
   * How many rows an engine has to keep for a feature while it answers the statement, about; undefined where it cannot
   * be asked feature by feature.
   */
  readonly cellsPerFeature?: number | undefined;
  /** The same in parts, where their rows do not simply follow one another and the engine keeps the order of rows. */
  readonly sortedParts?: {
    /** How many rows an engine has to keep for a feature, about. */
    readonly cellsPerFeature: number;
    statement(scope: Scope, kinds: AskKinds): PartStatement | Promise<PartStatement>;
  };
  /** What to know of its table, once that is there, besides a time after the log was read. */
  readonly findings?: () => readonly Finding[];
  /** Whether the result has persons in it. */
  readonly namesPersons?: boolean;
}

/** How much of the log is known. */
interface LogExtent {
  /** Changes of the chosen columns whose time exists. */
  readonly changeCount: number;
  /** First and last time in the log, of any property, microseconds since 1970. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Everything that answers are made from. */
export interface QuestionData {
  readonly engine: Engine;
  readonly scope: Scope;
  /** The features, in ascending order of id. */
  readonly features: FeatureRows;
  /** Row of each feature id. A statement that reads changes alone may tell of other features, too. */
  readonly rowOf: ReadonlyMap<number, number>;
  /** The property columns that are asked about, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  readonly names: readonly string[];
  readonly extent: LogExtent;
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, where that is before the reading. */
  readonly knownUntil: PlainPoint | undefined;
  /** What is shown in place of a person; the person if undefined. */
  readonly pseudonym: ((user: number) => unknown) | undefined;
  /** What all values of a column are, by its place, as far as it was found out. */
  readonly kinds: Map<number, ValueKind>;
  /** Since when the features exist. */
  readonly presence: Remembered<Presence>;
}

/** So many columns of an engine's answer, and perhaps more. */
type Columns<Count extends number, Found extends readonly ArrayLike<unknown>[] = []> = Found["length"] extends Count
  ? readonly [...Found, ...ArrayLike<unknown>[]]
  : Columns<Count, readonly [...Found, ArrayLike<unknown>]>;

/**
 * The columns of an engine's rows, which are read by their positions.
 *
 * @param count how many there are at least
 * @throws RangeError where there are fewer: what is missing would be read as NaN, or as the text "undefined"
 */
export function requireColumns<Count extends number>(columns: EngineRows["columns"], count: Count): Columns<Count> {
  if (columns.length >= count) return columns as Columns<Count>;
  throw new RangeError(`an answer has ${columns.length} columns, and ${count} were asked for`);
}

/**
 * Row of a feature that an engine tells of.
 *
 * @param id as the engine gives it
 * @throws RangeError for one that the questions are not about, of a statement that joins the features
 */
export function rowOfFeature({ rowOf }: Pick<QuestionData, "rowOf">, id: unknown): number {
  const row = rowOf.get(Number(id));
  if (row === undefined) throw new RangeError(`an answer is about feature ${String(id)}, which was not asked about`);
  return row;
}

/** How many changes there are in a scope's columns. */
export function changesOf({ columns }: Scope, changesByKey: ReadonlyMap<string, number>): number {
  return columns.flatMap(({ keys }) => keys).reduce((sum, key) => sum + (changesByKey.get(key) ?? 0), 0);
}

/** An answer that an engine is already at work on. */
class AskedPart {
  /** Its first rows; undefined where there are none. */
  readonly first: Promise<EngineRows | undefined>;
  readonly #answer: AsyncGenerator<EngineRows, void, undefined>;

  constructor(answer: AsyncGenerator<EngineRows, void, undefined>) {
    this.#answer = answer;
    this.first = this.more();
    // Readers get the error; unread, it must not count as unhandled.
    this.first.catch(() => undefined);
  }

  /** The rows behind those that were read. */
  async more(): Promise<EngineRows | undefined> {
    return (await this.#answer.next()).value ?? undefined;
  }

  /** Ends it, read or not. */
  async close(): Promise<void> {
    await this.#answer.return();
  }
}

/** Writes the statement of a question about the features of a scope. */
export type WriteStatement = (scope: Scope) => string;

/** Asks about all features at once. */
export async function* askAll(
  { engine, scope }: Pick<QuestionData, "engine" | "scope">,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  signal?.throwIfAborted();
  yield* engine.query(write(scope), { signal });
  signal?.throwIfAborted();
}

/**
 * Asks feature by feature, as many at once as the engine has memory for, in order of their ids. The engine works at the
 * next features while an answer is read.
 *
 * @param cellsPerFeature how many rows the engine has to keep for a feature, about
 */
export async function* askInParts(
  data: QuestionData,
  cellsPerFeature: number,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  const open = featureParts(data, cellsPerFeature);
  const ask = (part: Part | undefined) =>
    part && { part, rows: new AskedPart(askAll({ ...data, scope: partOf(data, part) }, write, signal)) };
  let asked = ask(open.shift());
  let next: typeof asked;
  try {
    while (asked) {
      const { part, rows } = asked;
      let isAnswered = false;
      try {
        for (let some = await rows.first; some; some = await rows.more()) {
          isAnswered = true;
          next ??= ask(open.shift());
          yield some;
        }
      } catch (error) {
        if (isAnswered || !isShort(error) || part.end - part.start < 2) throw error;
        open.unshift(...halves(part));
      }
      asked = next ?? ask(open.shift());
      next = undefined;
    }
  } finally {
    await Promise.all([asked?.rows.close(), next?.rows.close()]);
  }
}

/** Features by their rows. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The features of a scope in parts, as many at once as the engine has memory for. */
export function scopeParts(data: QuestionData, cellsPerFeature: number): readonly Scope[] {
  const parts = featureParts(data, cellsPerFeature);
  return parts.length <= 1 ? [data.scope] : parts.map((part) => partOf(data, part));
}

function featureParts({ engine, features }: QuestionData, cellsPerFeature: number): Part[] {
  const { cellsAtOnce = Number.POSITIVE_INFINITY } = engine;
  const size = Math.max(Math.floor(cellsAtOnce / Math.max(cellsPerFeature, 1)), 1);
  const count = size < features.count ? Math.ceil(features.count / size) : Math.min(features.count, 1);
  return Array.from({ length: count }, (_, part) => ({
    start: Math.floor((features.count * part) / count),
    end: Math.floor((features.count * (part + 1)) / count),
  }));
}

function partOf({ scope, features }: QuestionData, { start, end }: Part): Scope {
  const id = (row: number) => Number(features.base("id").at(row));
  return { ...scope, ids: [id(start), id(end - 1)] };
}

function halves({ start, end }: Part): readonly Part[] {
  const middle = (start + end) >>> 1;
  return [
    { start, end: middle },
    { start: middle, end },
  ];
}

/** Whether an engine had too little memory for a statement: it may do for one about less. */
export function isShort(error: unknown): boolean {
  return error instanceof EngineError && error.problem === "memory";
}

/** Computed once. Concurrent callers each compute it, since any may be aborted. */
export class Remembered<T> {
  #known: { readonly value: T } | undefined;

  async get(find: () => Promise<T>): Promise<T> {
    this.#known ??= { value: await find() };
    return this.#known.value;
  }
}
