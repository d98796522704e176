import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { tellPromises } from "../../core/forgotten-await.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import { type Provenance, provenance } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { withProvenance, withTableFindings } from "../../tables/column/table.js";
import { beyondReading } from "../cell/beyond-reading.js";
import { columnsByKey } from "../columns/choose-columns.js";
import type { History } from "../history.js";
import { beyondFinding, conflictFinding, cycleFinding, lateFinding, mergeConflicts } from "../history-findings.js";
import { ChangeIndex } from "../index/change-index.js";
import { type TimePoint, timePointText } from "../time/valid-time.js";
import { Answer, type QuestionOptions } from "./answer.js";
import { changesPerFeature, partialLog } from "./answer-rows.js";
import {
  type AskKinds,
  askAll,
  askInParts,
  isShort,
  type Question,
  type QuestionData,
  Remembered,
  requireColumns,
  scopeParts,
  type WriteStatement,
} from "./ask.js";
import { askHistory, defineQuestions } from "./by-name.js";
import { causeLog } from "./causes.js";
import type { Engine } from "./engine/engine.js";
import { lateCount } from "./late-edits.js";
import { knownAt } from "./log-survey.js";
import { differentRows, presentFinding } from "./reconcile.js";
import type * as registry from "./registry.js";
import { partTables, type Specification } from "./specification.js";
import type { DialectName } from "./sql/dialect/dialect.js";
import { dialects } from "./sql/dialect/dialects.js";
import { beyondCount, conflictRows } from "./sql/log-statements.js";
import type { Scope } from "./sql/scope.js";
import { valueKinds } from "./value-kinds.js";

type Registry = typeof registry;

/** The questions that an engine answers. */
type EngineQuestion = {
  [Name in keyof Registry]: Registry[Name] extends { readonly engine: unknown } ? Name : never;
}[keyof Registry];

/** Arguments with `signal` among the options, which come last, or as the only option. */
type WithSignal<Given extends readonly unknown[]> = Given["length"] extends Required<Given>["length"]
  ? [...Given, options?: QuestionOptions]
  : { [Place in keyof Given]: undefined extends Given[Place] ? Given[Place] & QuestionOptions : Given[Place] };

/** The methods of a history that an engine answers. */
type AskedHistory = {
  readonly [Name in keyof Pick<History, EngineQuestion>]: History[Name] extends (...given: infer Given) => infer Table
    ? {
        /**
         * Asks the question of the history's method with this name.
         *
         * @param given arguments of that method, with `signal` as a further option
         */
        // biome-ignore lint/style/useShorthandFunctionType: the reference shows the comment of a call signature alone.
        (...given: WithSignal<Given>): Answer<Table>;
      }
    : never;
};

/** `defineQuestions()` makes the methods. */
const AskedHistory = class {} as new () => AskedHistory;

/**
 * Questions of a `History` that an engine answers where the log is stored: with bounded memory, or on many machines. Each
 * method accepts the arguments of the history's method with the same name, and `signal` as a further option. Its answer is
 * the history's table, with the same rows in the same order, once it is awaited; `copy()` stores it where the engine keeps
 * results, and `sql()` returns its statement. Other questions need a `History`.
 *
 * Limitations: the engine adds in another order, so a sum of `totals()` may differ in its last digits, by less than 1e-12 of
 * the sum of the absolute values of all numbers that were added to it; the same is true of quantities. Weights must be
 * property columns. Stored answers lack the further tables `hours` and `mismatches`. This process builds the trees of
 * `causes()`, also for `copy()` and `sql()`.
 *
 * Invalid arguments reject with the history's `ArgumentError`. An engine that fails rejects with an `EngineError`.
 */
export class Questions extends AskedHistory implements AsyncDisposable {
  static {
    defineQuestions(Questions.prototype, (questions, name, question, given) =>
      questions.#answer(name, question, given),
    );
    tellPromises("questions", Questions.prototype);
  }

  /** Property columns that the questions are about. */
  readonly columns: readonly string[];
  /** When the log was read. */
  readonly readAt: Date;
  /** Where stays end that are given no `until`, as of a history: `readAt`, or the point of `knownAt()` if that is earlier. */
  readonly until: Date | string;
  /** Time zone in which calendar dates begin and end. */
  readonly timeZone: string;
  /** Where the log comes from and how old it is. Every table of these questions carries it: `provenanceOf(table)`. */
  readonly provenance: Provenance;
  readonly #data: QuestionData;
  readonly #readFindings: () => Promise<readonly Finding[]>;
  readonly #close: () => Promise<void>;
  readonly #findings = new Remembered<readonly Finding[]>();
  /** What to know of the answer that came last. */
  #ofAnswer: readonly Finding[] = [];

  /**
   * @internal
   * @param readFindings what the reading of the log found
   */
  constructor(data: QuestionData, readFindings: () => Promise<readonly Finding[]>, close: () => Promise<void>) {
    super();
    this.columns = data.names;
    this.readAt = new Date(data.readAtUs / 1000);
    this.until = data.knownUntil ?? this.readAt;
    this.timeZone = data.timeZone;
    this.provenance = provenance(data.origin, data.readAtUs / 1000);
    this.#data = data;
    this.#readFindings = readFindings;
    this.#close = close;
  }

  /** Number of changes in the log of these columns. */
  get changeCount(): number {
    return this.#data.extent.changeCount;
  }

  /** What the engine is called. */
  get engine(): string {
    return this.#data.engine.name;
  }

  /**
   * What a user should know, as of a history: of the log, then of the answer that came last. The engine looks through the whole
   * log for it, when they are asked for first.
   */
  get findings(): Promise<readonly Finding[]> {
    const findings = this.#allFindings();
    // Callers that await the findings get the error. If only the getter is read, the rejection must not end the process.
    findings.catch(() => undefined);
    return findings;
  }

  /**
   * The questions as of what was known, as `history.knownAt()`. They share the engine: to close one closes all.
   *
   * @param point a change id (inclusive), or a time where the ids are UUIDv7 and say when they were inserted
   */
  async knownAt(point: TimePoint, options: QuestionOptions = {}): Promise<Questions> {
    checkOptions("knownAt()", options, questionRules);
    const data = await knownAt(this.#data, point, options.signal);
    const beyond = typeof point === "string" && isUuid(point) ? [] : beyondReading(this.#data, point);
    return new Questions(data, async () => [...(await this.#readFindings()), ...beyond], this.#close);
  }

  /** @internal What answers are made from, for statements that no question writes. */
  get data(): QuestionData {
    return this.#data;
  }

  /** Closes the engine if it was opened for these questions. One that was given stays open. */
  close(): Promise<void> {
    return this.#close();
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Its arguments are judged when it is asked. */
  #answer(name: string, asked: Specification, given: readonly never[]): Answer<ColumnTable> {
    const { takes, options: rules, time, isAsOf, engine } = asked;
    if (!engine) throw askHistory(name);
    const data = this.#data;
    const call = `${name}()`;
    const options = given[takes.length] as QuestionOptions | undefined;
    const question = (): Question<ColumnTable> => {
      checkOptions<object>(call, options, { ...rules, ...questionRules });
      const all = takes.map((_, argument) => given[argument] as never);
      return engine(data, ...all, (options ?? {}) as never);
    };
    const about = () => time?.(...given);
    const provenance = () => {
      const asOf = isAsOf ? about() : undefined;
      return asOf === undefined ? this.provenance : { ...this.provenance, asOf: timePointText(asOf, this.timeZone) };
    };
    const onFindings = (findings: readonly Finding[]) => {
      this.#ofAnswer = findings;
    };
    const findings = () => beyondReading(data, about());
    const parts = (table: ColumnTable) => partTables(table, asked).values();
    return answerTo({ data, call, provenance, signal: options?.signal, parts, findings, onFindings }, question);
  }

  async #allFindings(): Promise<readonly Finding[]> {
    const findings = await this.#findings.get(async () => [
      ...(await this.#readFindings()),
      ...(await askFindings(this.#data)),
    ]);
    return [...findings, ...this.#ofAnswer];
  }
}

const questionRules: OptionRules<QuestionOptions> = { signal: anything };

/** What an answer needs to know besides the question. */
interface AskedCall {
  readonly data: QuestionData;
  /** As users write it: `asOf()`. */
  readonly call: string;
  /** Asked for when there is a table, since the date in it may be none. */
  readonly provenance: () => Provenance;
  readonly signal: AbortSignal | undefined;
  /** The tables that an answer has besides. */
  readonly parts: (table: ColumnTable) => Iterable<ColumnTable>;
  /** What to know of any answer about the time that was given. */
  readonly findings: () => readonly Finding[];
  /** Takes what to know of the table, once that is there. */
  readonly onFindings: (findings: readonly Finding[]) => void;
}

/** @param question makes it; its arguments are judged when it is asked */
function answerTo(asked: AskedCall, question: () => Question<ColumnTable>): Answer<ColumnTable> {
  const { data, call, provenance, signal, onFindings } = asked;
  return new Answer(`questions.${call}`, {
    table: async () => {
      const made = question();
      const table = await made.table(signal);
      const findings = [...asked.findings(), ...(made.findings?.() ?? [])];
      withTableFindings(table, findings);
      onFindings(findings);
      for (const part of [table, ...asked.parts(table)]) withProvenance(part, provenance());
      return table;
    },
    copy: async (target, storing = signal) => storeAnswer(data, call, question(), target, storing),
    sql: async (dialect) => writeAnswer(data, call, question(), dialect, signal),
  });
}

/**
 * Findings of a log, as of a history: changes after the time of reading, late edits, cycles of causes, merged
 * columns that once had two values, cells that differ from the log.
 */
async function askFindings(data: QuestionData): Promise<readonly Finding[]> {
  if (data.columns.length === 0) return cycleFinding(await causeLog(data, undefined));
  return [
    ...beyondFinding(await countBeyondReading(data), data),
    ...lateFinding(await countLate(data)),
    ...cycleFinding(await causeLog(data, undefined)),
    ...(await conflictFindings(data)),
    ...presentFinding(await countDifferent(data)),
  ];
}

async function countBeyondReading(data: QuestionData): Promise<number> {
  if (data.extent.lastUs <= data.readAtUs) return 0;
  let count = 0;
  for await (const { columns } of askAll(data, (scope) => beyondCount(scope, data.readAtUs), undefined)) {
    count += Number(requireColumns(columns, 1)[0][0]);
  }
  return count;
}

/** How many cells of each column differ from the log; none of `knownAt()`, which is older than the present. */
async function countDifferent(data: QuestionData): Promise<readonly (readonly [string, number])[]> {
  if (data.scope.knownUpTo !== undefined) return [];
  const counts = data.names.map(() => 0);
  const write: WriteStatement = (scope) => differentRows(scope, data.readAtUs);
  for await (const { rowCount, columns } of askInParts(data, 2 * data.columns.length, write, undefined)) {
    const [places, numbers] = requireColumns(columns, 2);
    for (let index = 0; index < rowCount; index += 1) {
      const column = Number(places[index]);
      counts[column] = (counts[column] as number) + Number(numbers[index]);
    }
  }
  return data.names.map((name, column) => [name, counts[column] as number]);
}

async function countLate(data: QuestionData): Promise<number> {
  let count = 0;
  for await (const { columns } of askInParts(data, changesPerFeature(data), lateCount, undefined)) {
    count += Number(requireColumns(columns, 1)[0][0]);
  }
  return count;
}

async function conflictFindings(data: QuestionData): Promise<readonly Finding[]> {
  const merged = data.columns.flatMap(({ keys }, column) => (keys.length > 1 ? [column] : []));
  if (merged.length === 0) return [];
  const { features, columns } = data;
  const log = await partialLog(data, (scope) => conflictRows(scope, merged), undefined);
  const index = new ChangeIndex(log, features.count, columns.length, columnsByKey(columns, log.keys));
  return merged.flatMap((column) => {
    const own = columns[column];
    return own ? conflictFinding(own, mergeConflicts({ index, log, features }, column)) : [];
  });
}

/** In how many times as many parts a result is asked for that did not fit into memory. */
const SMALLER = [4, 16];

/** Stores the answer to a question where the engine keeps results. */
async function storeAnswer<T>(
  data: QuestionData,
  call: string,
  question: Question<T>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  refusePersons(data, call, question);
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

/** One after the other: what the first has to find out, the others know. */
async function inTurn<T>(parts: readonly Scope[], write: (scope: Scope) => T | Promise<T>): Promise<readonly T[]> {
  const written: T[] = [];
  for (const part of parts) written.push(await write(part));
  return written;
}

/** The text of a question. */
async function writeAnswer<T>(
  data: QuestionData,
  call: string,
  question: Question<T>,
  name: DialectName | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  refusePersons(data, call, question);
  const { engine, scope } = data;
  const dialect = name === undefined || name === engine.dialect.name ? engine.dialect : dialectOf(name);
  const kinds: AskKinds = (columns) => valueKinds(data, columns, signal);
  return question.statement({ ...scope, dialect }, kinds, signal);
}

function dialectOf(name: string) {
  const dialect = Object.hasOwn(dialects, name) ? dialects[name as DialectName] : undefined;
  if (dialect) return dialect;
  const names = Object.keys(dialects);
  throw new ArgumentError(`${showValue(name)} is no dialect of SQL that questions are written in.`, {
    hint: nameHint(name, names),
  });
}

/** Persons get their pseudonyms in this process. */
function refusePersons<T>({ pseudonym }: QuestionData, call: string, { namesPersons }: Question<T>): void {
  if (!pseudonym || !namesPersons) return;
  throw new ArgumentError(`${call} names persons, and redact: true replaces them in this process alone.`, {
    hint: "Await the answer, or ask without redact.",
  });
}
