import type { Diagnostic } from "../../../core/diagnostic.js";
import { EngineError } from "../../../core/errors.js";
import type { Origin } from "../../../core/provenance.js";
import type { PropertyColumn } from "../../../layer/property-columns.js";
import type { FeatureRows } from "../../cell/feature-rows.js";
import type { Presence } from "../../cell/present-rows.js";
import type { PlainPoint } from "../../time/valid-time.js";
import type { ValueKind } from "../sql/cell-values.js";
import type { PartStatement, Scope } from "../sql/statement-scope.js";
import type { Engine, EngineRows } from "./engine.js";

/**
 * Finds the kinds of values in some columns of the scope, for which the engine reads all values. The result is by
 * column index, with undefined for columns that were not requested.
 */
export type AskKinds = (columns: readonly number[]) => Promise<readonly (ValueKind | undefined)[]>;

/** A question whose arguments have been checked. */
export interface Question<T> {
  /** Loads the answer as a table into this process. */
  table(signal: AbortSignal | undefined): Promise<T>;
  /**
   * Returns a self-contained statement with the same result.
   *
   * @param scope the scope, in the dialect of the engine that runs it
   */
  statement(scope: Scope, kinds: AskKinds, signal: AbortSignal | undefined): string | Promise<string>;
  /** The same as several statements, written one after the other, if a single one may be too long. */
  readonly statements?: (scope: Scope, signal: AbortSignal | undefined) => Promise<Iterable<string>>;
  /**
   * Approximate number of rows per feature that an engine must keep while it runs the statement; undefined if the
   * statement cannot be split by features.
   */
  readonly cellsPerFeature?: number | undefined;
  /** The same in parts, for engines that keep the order of rows, if the rows of the parts must be sorted together. */
  readonly sortedParts?: {
    /** Approximate number of rows per feature that an engine must keep. */
    readonly cellsPerFeature: number;
    statement(scope: Scope, kinds: AskKinds): PartStatement | Promise<PartStatement>;
  };
  /** Diagnostics about the table, once it is loaded, besides those for a time after the log was read. */
  readonly diagnostics?: () => readonly Diagnostic[];
  /** Whether the result contains users. */
  readonly namesPersons?: boolean;
}

/** The extent of the known log. */
interface LogExtent {
  /** Number of changes of the chosen columns with a valid time. */
  readonly changeCount: number;
  /** First and last time in the log, for all properties, in microseconds since 1970. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** The data that answers are made from. */
export interface QuestionData {
  readonly engine: Engine;
  readonly scope: Scope;
  /** The features, in ascending order of id. */
  readonly features: FeatureRows;
  /** Row of each feature id. Statements that read only changes may return other features, too. */
  readonly rowOf: ReadonlyMap<number, number>;
  /** The property columns of the questions, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  readonly names: readonly string[];
  readonly extent: LogExtent;
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, if it is before the time of reading. */
  readonly knownUntil: PlainPoint | undefined;
  /** Returns what to show instead of a user; undefined to show the user. */
  readonly pseudonym: ((user: number) => unknown) | undefined;
  /** Kinds of the values of columns, by index, as far as determined. */
  readonly kinds: Map<number, ValueKind>;
  /** The times from which the features exist. */
  readonly presence: Remembered<Presence>;
}

/** At least this many columns of an engine's result. */
type Columns<Count extends number, Found extends readonly ArrayLike<unknown>[] = []> = Found["length"] extends Count
  ? readonly [...Found, ...ArrayLike<unknown>[]]
  : Columns<Count, readonly [...Found, ArrayLike<unknown>]>;

/**
 * The columns of an engine's rows, by position.
 *
 * @param count minimum number of columns
 * @throws RangeError if there are fewer: missing columns would be read as NaN or "undefined"
 */
export function requireColumns<Count extends number>(columns: EngineRows["columns"], count: Count): Columns<Count> {
  if (columns.length >= count) return columns as Columns<Count>;
  throw new RangeError(`an answer has ${columns.length} columns, and ${count} were asked for`);
}

/**
 * Returns the row of a feature in an engine's result.
 *
 * @param id as the engine returns it
 * @throws RangeError for a feature outside the questions, from a statement that joins the features
 */
export function rowOfFeature({ rowOf }: Pick<QuestionData, "rowOf">, id: unknown): number {
  const row = rowOf.get(Number(id));
  if (row === undefined) throw new RangeError(`an answer is about feature ${String(id)}, which was not asked about`);
  return row;
}

/** Approximate number of changes of a feature in all columns. */
export function changesPerFeature({ extent, features }: QuestionData): number {
  return Math.ceil(extent.changeCount / Math.max(features.count, 1));
}

/** Number of changes in the columns of a scope. */
export function changesOf({ columns }: Scope, changesByKey: ReadonlyMap<string, number>): number {
  return columns.flatMap(({ keys }) => keys).reduce((sum, key) => sum + (changesByKey.get(key) ?? 0), 0);
}

/** A statement that an engine is already running. */
class RunningQuery {
  /** Its first rows; undefined if the result is empty. */
  readonly first: Promise<EngineRows | undefined>;
  readonly #rows: AsyncIterator<EngineRows>;
  readonly #signal: AbortSignal | undefined;

  constructor(engine: Engine, sql: string, signal: AbortSignal | undefined) {
    this.#rows = engine.query(sql, { signal })[Symbol.asyncIterator]();
    this.#signal = signal;
    this.first = this.more();
    // Readers receive the error; an unread error must not be an unhandled rejection.
    this.first.catch(() => undefined);
  }

  /** The next rows. */
  async more(): Promise<EngineRows | undefined> {
    const next = await this.#rows.next();
    if (!next.done) return next.value;
    this.#signal?.throwIfAborted();
    return undefined;
  }

  /** Ends the statement, whether or not it was read. */
  async close(): Promise<void> {
    await this.#rows.return?.();
  }
}

/** Writes the statement of a question about the features of a scope. */
export type WriteStatement = (scope: Scope) => string;

/** Runs one statement about all features. */
export async function* queryAll(
  { engine, scope }: Pick<QuestionData, "engine" | "scope">,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  signal?.throwIfAborted();
  yield* engine.query(write(scope), { signal });
  signal?.throwIfAborted();
}

/**
 * Runs a question in parts, in order of feature ids, each with as many features as fit into the engine's memory. The
 * engine works on the next part while a part is read.
 *
 * @param cellsPerFeature approximate number of rows per feature that the engine must keep
 */
export async function* queryInBatches(
  data: QuestionData,
  cellsPerFeature: number,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  const open = featureParts(data, cellsPerFeature);
  const ask = (part: Part | undefined) => {
    signal?.throwIfAborted();
    return part && { part, rows: new RunningQuery(data.engine, write(partOf(data, part)), signal) };
  };
  let running = ask(open.shift());
  let next: typeof running;
  try {
    while (running) {
      const { part, rows } = running;
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
      running = next ?? ask(open.shift());
      next = undefined;
    }
  } finally {
    await Promise.all([running?.rows.close(), next?.rows.close()]);
  }
}

/** A range of features, by row. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The scope split into parts, each with as many features as fit into the engine's memory. */
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

/** Whether an engine ran out of memory: a statement about fewer features may succeed. */
export function isShort(error: unknown): boolean {
  return error instanceof EngineError && error.problem === "memory";
}

/** A value that is computed once. Concurrent callers each compute it, because any of them may be aborted. */
export class Remembered<T> {
  #result: { readonly value: T } | undefined;

  async get(find: () => Promise<T>): Promise<T> {
    this.#result ??= { value: await find() };
    return this.#result.value;
  }
}
