import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { tellPromises } from "../../core/forgotten-await.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import { type Provenance, provenance } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { setTimeZone } from "../../tables/column/column-format.js";
import { withProvenance, withTableDiagnostics } from "../../tables/column/table.js";
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
import { type EngineSpecification, partTables } from "../questions/define/specification.js";
import type { Engine } from "../questions/engine/engine.js";
import { knownAt } from "../questions/engine/log-survey.js";
import {
  type AskKinds,
  changesPerFeature,
  isShort,
  type Question,
  type QuestionData,
  queryAll,
  queryInBatches,
  Remembered,
  requireColumns,
  scopeParts,
  type WriteStatement,
} from "../questions/engine/query-in-batches.js";
import { lateCount } from "../questions/late-edits.js";
import { valueKinds } from "../questions/plan/value-kinds.js";
import { differentRows, presentDiagnostic } from "../questions/reconcile.js";
import { partialLog } from "../questions/rows/partial-log.js";
import type { DialectName } from "../questions/sql/dialect/dialect.js";
import { dialects } from "../questions/sql/dialect/dialects.js";
import { afterReadCount, conflictRows } from "../questions/sql/log-statements.js";
import type { Scope } from "../questions/sql/statement-scope.js";
import { type TimePoint, timePointText } from "../time/valid-time.js";
import { type LazyAnswer, type LazyOptions, LazyTable } from "./lazy-table.js";

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

/** Rules for the options of every lazy call. */
const lazyRules: OptionRules<LazyOptions> = { signal: anything };

/** A call of a lazy history. */
interface LazyCall {
  readonly data: QuestionData;
  readonly provenance: Provenance;
  /** Name of the method. */
  readonly name: string;
  /** Its arguments, options last. They are checked when the answer is requested. */
  readonly given: readonly never[];
  /** Receives the diagnostics about the table, once it is loaded. */
  readonly onDiagnostics: (diagnostics: readonly Diagnostic[]) => void;
}

/** The answer of an engine to a question. */
class EngineAnswer implements LazyAnswer<ColumnTable> {
  readonly #specification: EngineSpecification<readonly never[], object>;
  readonly #call: LazyCall;
  readonly #callName: string;
  readonly #signal: AbortSignal | undefined;

  constructor(specification: EngineSpecification<readonly never[], object>, call: LazyCall) {
    this.#specification = specification;
    this.#call = call;
    this.#callName = `${call.name}()`;
    this.#signal = (call.given[specification.takes.length] as LazyOptions | undefined)?.signal;
  }

  async table(): Promise<ColumnTable> {
    const { data, given, onDiagnostics } = this.#call;
    const { time } = this.#specification;
    try {
      const question = this.#question();
      const table = await question.table(this.#signal);
      const diagnostics = [...dateAfterRead(data, time?.(...given)), ...(question.diagnostics?.() ?? [])];
      withTableDiagnostics(table, diagnostics);
      onDiagnostics(diagnostics);
      const provenance = this.#provenance();
      for (const part of [table, ...partTables(table, this.#specification).values()]) {
        setTimeZone(part, data.timeZone);
        withProvenance(part, provenance);
      }
      return table;
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  async writeTo(target: string, signal = this.#signal): Promise<void> {
    const { data } = this.#call;
    try {
      const question = this.#question();
      refusePersons(data, this.#callName, question);
      await store(data, question, target, signal);
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  async toSQL(name: DialectName | undefined): Promise<string> {
    const { data } = this.#call;
    const { engine, scope } = data;
    try {
      const question = this.#question();
      refusePersons(data, this.#callName, question);
      const dialect = name === undefined || name === engine.dialect.name ? engine.dialect : dialectOf(name);
      const kinds: AskKinds = (columns) => valueKinds(data, columns, this.#signal);
      return await question.statement({ ...scope, dialect }, kinds, this.#signal);
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  /** @throws ArgumentError for invalid arguments */
  #question(): Question<ColumnTable> {
    const { takes, options: rules, engine } = this.#specification;
    const { data, given } = this.#call;
    const options = given[takes.length] as object | undefined;
    checkOptions<object>(this.#callName, options, { ...rules, ...lazyRules });
    const all = takes.map((_, argument) => given[argument] as never);
    return engine(data, ...all, (options ?? {}) as never);
  }

  #provenance(): Provenance {
    const { data, given, provenance } = this.#call;
    const { isAsOf, time } = this.#specification;
    const asOf = isAsOf ? time?.(...given) : undefined;
    return asOf === undefined ? provenance : { ...provenance, asOf: timePointText(asOf, data.timeZone) };
  }
}

/** Factors by which the number of parts grows if a result did not fit into memory. */
const SMALLER = [4, 16];

/** Stores the answer to a question in the engine. */
async function store<T>(
  data: QuestionData,
  question: Question<T>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const kinds: AskKinds = (columns) => valueKinds(data, columns, signal);
  const { cellsPerFeature } = data.engine.keepsOrder && question.sortedParts ? question.sortedParts : question;
  const partsAt = (factor: number) =>
    cellsPerFeature === undefined ? [data.scope] : scopeParts(data, cellsPerFeature * factor);
  let parts = partsAt(1);
  for (const factor of SMALLER) {
    try {
      return await storeParts(data.engine, question, { parts, kinds, target, signal });
    } catch (error) {
      const smaller = partsAt(factor);
      if (!isShort(error) || smaller.length <= parts.length) throw error;
      parts = smaller;
    }
  }
  return storeParts(data.engine, question, { parts, kinds, target, signal });
}

interface StoredParts {
  readonly parts: readonly Scope[];
  readonly kinds: AskKinds;
  readonly target: string;
  readonly signal: AbortSignal | undefined;
}

async function storeParts<T>(engine: Engine, question: Question<T>, { parts, kinds, target, signal }: StoredParts) {
  const { sortedParts } = question;
  const [whole] = parts;
  if (question.statements && whole) return engine.store(await question.statements(whole, signal), target, { signal });
  if (parts.length > 1 && engine.keepsOrder && sortedParts) {
    const statements = await inTurn(parts, (scope) => sortedParts.statement(scope, kinds));
    const texts = statements.map(({ sql }) => sql);
    return engine.store(texts, target, { signal, afterwards: statements[0]?.afterwards });
  }
  const statements = await inTurn(parts, (scope) => question.statement(scope, kinds, signal));
  return engine.store(statements.length === 1 ? statements.join("") : statements, target, { signal });
}

/** One after the other, so that the others reuse what the first one determined. */
async function inTurn<T>(parts: readonly Scope[], write: (scope: Scope) => T | Promise<T>): Promise<readonly T[]> {
  const written: T[] = [];
  for (const part of parts) written.push(await write(part));
  return written;
}

function dialectOf(name: string) {
  const dialect = Object.hasOwn(dialects, name) ? dialects[name as DialectName] : undefined;
  if (dialect) return dialect;
  const names = Object.keys(dialects);
  throw new ArgumentError(`toSQL(): unknown dialect ${showValue(name)}.`, {
    hint: nameHint(name, names),
  });
}

/** Only this process can replace users with pseudonyms. */
function refusePersons<T>({ pseudonym }: QuestionData, call: string, { namesPersons }: Question<T>): void {
  if (!pseudonym || !namesPersons) return;
  throw new ArgumentError(`${call}: the result has users, which SQL cannot replace with pseudonyms (redact: true).`, {
    hint: "Await the table instead, or remove `redact`.",
  });
}
