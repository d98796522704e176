import type { Diagnostic } from "../../core/diagnostic.js";
import { tellPromises } from "../../core/forgotten-await.js";
import { checkOptions } from "../../core/options.js";
import { type Provenance, provenance } from "../../core/provenance.js";
import { isUuid } from "../../core/uuid.js";
import { dateAfterRead } from "../cell/censoring-time.js";
import { columnsByKey } from "../columns/choose-columns.js";
import type { History } from "../history.js";
import {
  afterReadDiagnostic,
  conflictDiagnostic,
  cycleDiagnostic,
  lateDiagnostic,
  mergeConflicts,
} from "../history-diagnostics.js";
import { ChangeIndex } from "../index/change-index.js";
import { withCall } from "../naming-call.js";
import { causeLog } from "../questions/cause-trees.js";
import { askHistory, defineQuestions } from "../questions/define/question-methods.js";
import type * as registry from "../questions/define/registry.js";
import { knownAt } from "../questions/engine/log-survey.js";
import {
  changesPerFeature,
  type QuestionData,
  queryAll,
  queryInBatches,
  Remembered,
  requireColumns,
  type WriteStatement,
} from "../questions/engine/query-in-batches.js";
import { lateCount } from "../questions/late-edits.js";
import { differentRows, presentDiagnostic } from "../questions/reconcile.js";
import { partialLog } from "../questions/rows/partial-log.js";
import { afterReadCount, conflictRows } from "../questions/sql/log-statements.js";
import type { TimePoint } from "../time/valid-time.js";
import { EngineAnswer, lazyRules } from "./engine-answer.js";
import { type LazyOptions, LazyTable } from "./lazy-table.js";

type Registry = typeof registry;

/** The questions that engines support. */
type EngineQuestion = {
  [Name in keyof Registry]: Registry[Name] extends { readonly engine: unknown } ? Name : never;
}[keyof Registry];

/** Arguments with `signal` among the options, which come last, or as the only option. */
type WithSignal<Given extends readonly unknown[]> = Given["length"] extends Required<Given>["length"]
  ? [...Given, options?: LazyOptions]
  : { [Place in keyof Given]: undefined extends Given[Place] ? Given[Place] & LazyOptions : Given[Place] };

/** The methods of a history that engines support. */
type AskedHistory = {
  readonly [Name in keyof Pick<History, EngineQuestion>]: History[Name] extends (...given: infer Given) => infer Table
    ? {
        /**
         * Asks the question of the history's method with this name.
         *
         * @param given arguments of that method, with `signal` as a further option
         */
        // biome-ignore lint/style/useShorthandFunctionType: the reference shows the comment of a call signature alone.
        (...given: WithSignal<Given>): LazyTable<Table>;
      }
    : never;
};

/** `defineQuestions()` adds the methods. */
const AskedHistory = class {} as new () => AskedHistory;

/**
 * Questions of a `History` that an engine runs next to the stored log, with bounded memory or on many machines. Each
 * method accepts the arguments of the history's method with the same name, and `signal` as a further option. Await its
 * answer to get the history's table, with the same rows in the same order; use `writeTo()` to store it in the engine,
 * or `toSQL()` to get its statement. Other questions need a `History`.
 *
 * Limitations: the engine adds in another order, so a sum of `totals()` may differ in its last digits, by less than
 * 1e-12 of the sum of the absolute values of all added numbers; the same is true of quantities. Weights must be
 * property columns. Stored answers lack the further tables `hours` and `mismatches`. This process builds the trees of
 * `causeTrees()`, also for `writeTo()` and `toSQL()`.
 *
 * Invalid arguments reject with the history's `ArgumentError`. A failing engine rejects with an `EngineError`.
 *
 * @example
 * ```ts
 * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
 * const june = await lazy.counts("STATUS", ["2024-06-30"]);
 * await lazy.close();
 * june
 * ```
 */
export class LazyHistory extends AskedHistory implements AsyncDisposable {
  static {
    tellPromises("questions", LazyHistory.prototype);
    defineQuestions(LazyHistory.prototype, (name, { engine, ...specification }) => {
      return function (this: LazyHistory, ...given) {
        if (!engine) throw askHistory(name);
        const onDiagnostics = (diagnostics: readonly Diagnostic[]) => {
          this.#ofAnswer = diagnostics;
        };
        const call = { data: this.#data, provenance: this.provenance, name, given, onDiagnostics };
        return new LazyTable(`questions.${name}()`, new EngineAnswer({ ...specification, engine }, call));
      };
    });
  }

  /** Property columns of the questions. */
  readonly columns: readonly string[];
  /** When the log was read. */
  readonly readAt: Date;
  /** Default end of durations and intervals, as in a history: `readAt`, or the point of `knownAt()` if that is earlier. */
  readonly until: Date | string;
  /** Time zone in which calendar dates begin and end. */
  readonly timeZone: string;
  /** Origin and age of the log. Every table of these questions has it: `provenanceOf(table)`. */
  readonly provenance: Provenance;
  readonly #data: QuestionData;
  readonly #readDiagnostics: () => Promise<readonly Diagnostic[]>;
  readonly #close: () => Promise<void>;
  readonly #diagnostics = new Remembered<readonly Diagnostic[]>();
  /** Diagnostics about the last answer. */
  #ofAnswer: readonly Diagnostic[] = [];

  /**
   * @internal
   * @param readDiagnostics returns the diagnostics of reading the log
   */
  constructor(data: QuestionData, readDiagnostics: () => Promise<readonly Diagnostic[]>, close: () => Promise<void>) {
    super();
    this.columns = data.names;
    this.readAt = new Date(data.readAtUs / 1000);
    this.until = data.knownUntil ?? this.readAt;
    this.timeZone = data.timeZone;
    this.provenance = provenance(data.origin, data.readAtUs / 1000);
    this.#data = data;
    this.#readDiagnostics = readDiagnostics;
    this.#close = close;
  }

  /** Number of changes in the log of these columns. */
  get length(): number {
    return this.#data.extent.changeCount;
  }

  /** Name of the engine. */
  get engine(): string {
    return this.#data.engine.name;
  }

  /**
   * Returns diagnostics, as for a history: about the log, then about the last answer. The first access makes the engine
   * read the whole log. With the option `onDiagnostic`, it is read at opening.
   */
  get diagnostics(): Promise<readonly Diagnostic[]> {
    const diagnostics = this.#allDiagnostics();
    // Callers that await the diagnostics receive the error. If the getter is read without await, the rejection must not
    // end the process.
    diagnostics.catch(() => undefined);
    return diagnostics;
  }

  /**
   * Returns the questions limited to what was known at a point, as `history.knownAt()`. They share the engine: closing
   * one closes all.
   *
   * @param point a change id (inclusive), or a time if the ids are UUIDv7, which contain their insertion times
   * @example
   * ```ts
   * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
   * const known = await lazy.knownAt("2024-01-23");
   * [lazy.length, known.length]
   * ```
   */
  async knownAt(point: TimePoint, options: LazyOptions = {}): Promise<LazyHistory> {
    checkOptions("knownAt()", options, lazyRules);
    try {
      const data = await knownAt(this.#data, point, options.signal);
      const afterRead = typeof point === "string" && isUuid(point) ? [] : dateAfterRead(this.#data, point);
      return new LazyHistory(data, async () => [...(await this.#readDiagnostics()), ...afterRead], this.#close);
    } catch (error) {
      throw withCall("knownAt()", error);
    }
  }

  /** @internal The data of answers, for statements outside the questions. */
  get data(): QuestionData {
    return this.#data;
  }

  /**
   * Closes the engine if it was opened for these questions. An engine passed as an option stays open.
   *
   * @example
   * ```ts
   * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
   * await lazy.close();
   * ```
   */
  close(): Promise<void> {
    return this.#close();
  }

  /** Closes the engine, as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #allDiagnostics(): Promise<readonly Diagnostic[]> {
    const diagnostics = await this.#diagnostics.get(async () => [
      ...(await this.#readDiagnostics()),
      ...(await askDiagnostics(this.#data)),
    ]);
    return [...diagnostics, ...this.#ofAnswer];
  }
}

/**
 * Diagnostics about a log, as for a history: changes after the time of reading, late edits, cycles of causes, merged
 * columns that once had two values, cells that differ from the log.
 */
async function askDiagnostics(data: QuestionData): Promise<readonly Diagnostic[]> {
  if (data.columns.length === 0) return cycleDiagnostic(await causeLog(data, undefined));
  return [
    ...afterReadDiagnostic(await countAfterRead(data), data),
    ...lateDiagnostic(await countLate(data)),
    ...cycleDiagnostic(await causeLog(data, undefined)),
    ...(await conflictDiagnostics(data)),
    ...presentDiagnostic(await countDifferent(data)),
  ];
}

async function countAfterRead(data: QuestionData): Promise<number> {
  if (data.extent.lastUs <= data.readAtUs) return 0;
  let count = 0;
  for await (const { columns } of queryAll(data, (scope) => afterReadCount(scope, data.readAtUs), undefined)) {
    count += Number(requireColumns(columns, 1)[0][0]);
  }
  return count;
}

/** Number of cells of each column that differ from the log. Empty after `knownAt()`, which is before the present. */
async function countDifferent(data: QuestionData): Promise<readonly (readonly [string, number])[]> {
  if (data.scope.knownUpTo !== undefined) return [];
  const counts = data.names.map(() => 0);
  const write: WriteStatement = (scope) => differentRows(scope, data.readAtUs);
  for await (const { rowCount, columns } of queryInBatches(data, 2 * data.columns.length, write, undefined)) {
    const [indexes, numbers] = requireColumns(columns, 2);
    for (let index = 0; index < rowCount; index += 1) {
      const column = Number(indexes[index]);
      counts[column] = (counts[column] as number) + Number(numbers[index]);
    }
  }
  return data.names.map((name, column) => [name, counts[column] as number]);
}

async function countLate(data: QuestionData): Promise<number> {
  let count = 0;
  for await (const { columns } of queryInBatches(data, changesPerFeature(data), lateCount, undefined)) {
    count += Number(requireColumns(columns, 1)[0][0]);
  }
  return count;
}

async function conflictDiagnostics(data: QuestionData): Promise<readonly Diagnostic[]> {
  const merged = data.columns.flatMap(({ keys }, column) => (keys.length > 1 ? [column] : []));
  if (merged.length === 0) return [];
  const { features, columns } = data;
  const log = await partialLog(data, (scope) => conflictRows(scope, merged), undefined);
  const index = new ChangeIndex(log, features.count, columns.length, columnsByKey(columns, log.keys));
  return merged.flatMap((column) => {
    const propertyColumn = columns[column];
    return propertyColumn ? conflictDiagnostic(propertyColumn, mergeConflicts({ index, log, features }, column)) : [];
  });
}
