import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import { type Provenance, provenance } from "../../core/provenance.js";
import { isUuid } from "../../core/uuid.js";
import { withProvenance, withTableFindings } from "../../tables/column/table.js";
import { beyondReading } from "../cell/beyond-reading.js";
import { columnsByKey } from "../columns/choose-columns.js";
import { type StepOptions, stepRules } from "../columns/step-order.js";
import { type GroupOptions, groupRules } from "../grid/group-codes.js";
import { conflictFinding, cycleFinding, lateFinding, mergeConflicts } from "../history-findings.js";
import { ChangeIndex } from "../index/change-index.js";
import type { Grid } from "../time/date-grid.js";
import { type TimePoint, timePointText } from "../time/valid-time.js";
import { Answer, type QuestionOptions } from "./answer.js";
import { changesPerFeature, partialLog } from "./answer-rows.js";
import { type AsOfOptions, asOfQuestion, asOfRules } from "./as-of.js";
import { askInParts, type Question, type QuestionData, Remembered, scopeParts } from "./ask.js";
import { causeLog, causesQuestion } from "./causes.js";
import { changesQuestion } from "./changes.js";
import { countsQuestion } from "./counts.js";
import { diffQuestion } from "./diff.js";
import { type DurationOptions, durationRules, durationsQuestion } from "./durations.js";
import { refuseInMemory } from "./in-memory.js";
import { intervalsQuestion } from "./intervals.js";
import { lateCount, lateEditsQuestion } from "./late-edits.js";
import { knownAt } from "./log-survey.js";
import { type PanelOptions, panelQuestion, panelRules } from "./panel.js";
import { type People, peopleQuestion } from "./people.js";
import { differentRows, presentFinding, type Reconciliation, reconcileQuestion } from "./reconcile.js";
import type { ValueKind } from "./sql/cell-values.js";
import { conflictRows } from "./sql/log-statements.js";
import type { Scope } from "./sql/scope.js";
import { type StatesOptions, statesQuestion, statesRules } from "./states.js";
import { stepsQuestion } from "./steps.js";
import { storeAnswer, writeAnswer } from "./stored-answer.js";
import { totalsQuestion } from "./totals.js";
import { transitionsQuestion } from "./transitions.js";
import { declaredKinds, type MistypedColumns, mistypedColumns, presentValueKinds, valueKinds } from "./value-kinds.js";

/**
 * The questions of a `History` but `at`, `layerAt`, `survival`, `forecast` and `againstPlan`, answered by an engine that
 * reads the log where it lies: with bounded memory, or on many machines. Each gives the table that a history gives, with the same rows in the same order, once it is awaited; sums of
 * `totals` may differ in their last digits, since the engine adds in another order. `copy()` of an answer stores it
 * where the engine keeps results, and `sql()` is its text.
 *
 * Whatever a history takes for a time, a grid or a column is taken here; what is wrong rejects with the same
 * `ArgumentError`. An engine that gives no answer is an `EngineError`.
 */
export class Questions implements AsyncDisposable {
  static {
    refuseInMemory(Questions.prototype);
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
    return this.#allFindings();
  }

  /** The log as a table, as `history.changes()`. */
  changes(options: QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("changes()", options, {}, changesQuestion);
  }

  /** The layer as it was, as `history.asOf()`. */
  asOf(time: TimePoint, options: AsOfOptions & QuestionOptions = {}): Answer<ColumnTable> {
    const make = (data: QuestionData) => asOfQuestion(data, time, options);
    return this.#answer("asOf()", options, asOfRules, make, () => [], time);
  }

  /** How each value at a time is known, as `history.states()`. */
  states(time: TimePoint, options: StatesOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("states()", options, statesRules, (data) => statesQuestion(data, time, options));
  }

  /** Values at many dates, as `history.panel()`. */
  panel(grid: Grid, options: PanelOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("panel()", options, panelRules, (data) => panelQuestion(data, grid, options));
  }

  /**
   * How many features hold each value at each date, as `history.counts()`.
   *
   * @param column name of a property column
   */
  counts(column: string, grid: Grid, options: GroupOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("counts()", options, groupRules, (data) => countsQuestion(data, column, grid, options));
  }

  /**
   * Sums of the numbers in a column at each date, as `history.totals()`. A sum may differ from a history's in its last
   * digits: by less than 1e-12 of what all numbers come to that were ever added to it, without their signs.
   *
   * @param column name of a property column of numbers
   */
  totals(column: string, grid: Grid, options: GroupOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("totals()", options, groupRules, (data) => totalsQuestion(data, column, grid, options));
  }

  /**
   * When each feature held which value, as `history.intervals()`.
   *
   * @param column name of a property column
   */
  intervals(column: string, options: QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("intervals()", options, {}, (data) => intervalsQuestion(data, column));
  }

  /**
   * How long each feature held each value, as `history.durations()`.
   *
   * @param column name of a property column
   */
  durations(column: string, options: DurationOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("durations()", options, durationRules, (data) => durationsQuestion(data, column, options));
  }

  /**
   * How often one value followed another, as `history.transitions()`.
   *
   * @param column name of a property column
   */
  transitions(column: string, options: StepOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("transitions()", options, stepRules, (data) => transitionsQuestion(data, column, options));
  }

  /**
   * Each single step from value to value, as `history.steps()`.
   *
   * @param column name of a property column
   */
  steps(column: string, options: StepOptions & QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("steps()", options, stepRules, (data) => stepsQuestion(data, column, options));
  }

  /** What happened between two times, as `history.diff()`. */
  diff(earlier: TimePoint, later: TimePoint, options: QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("diff()", options, {}, (data) => diffQuestion(data, earlier, later));
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

  /** Changes that a newer one had overtaken when they were inserted, as `history.lateEdits()`. */
  lateEdits(options: QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("lateEdits()", options, {}, lateEditsQuestion);
  }

  /**
   * Changes that caused others or were caused, as `history.causes()`. The trees are put together in this process, also for
   * `copy()` and `sql()`.
   */
  causes(options: QuestionOptions = {}): Answer<ColumnTable> {
    return this.#answer("causes()", options, {}, causesQuestion);
  }

  /** Whether the log explains the present, as `history.reconcile()`. What is stored has no `mismatches`. */
  reconcile(options: QuestionOptions = {}): Answer<Reconciliation> {
    return this.#answer("reconcile()", options, {}, reconcileQuestion, ({ mismatches }) => [mismatches]);
  }

  /** Who edited, as `history.people()`. What is stored has no `hours`. */
  people(options: QuestionOptions = {}): Answer<People> {
    return this.#answer("people()", options, {}, peopleQuestion, ({ hours }) => [hours]);
  }

  /**
   * What the questions are about, for statements that no question writes.
   *
   * @internal
   */
  get scope(): Scope {
    return this.#data.scope;
  }

  /**
   * The scope in parts, by features, as many at once as the engine has memory for.
   *
   * @internal
   * @param cellsPerFeature how many rows the engine has to keep for a feature, about
   */
  scopeParts(cellsPerFeature: number): readonly Scope[] {
    return scopeParts(this.#data, cellsPerFeature);
  }

  /**
   * What some columns of the scope are by their definitions, else by their values, by place.
   *
   * @internal
   */
  async kinds(columns: readonly number[]): Promise<readonly (ValueKind | undefined)[]> {
    return declaredKinds(this.#data, await valueKinds(this.#data, columns, undefined));
  }

  /**
   * The same of what features have at present; undefined for columns that only the log knows.
   *
   * @internal
   */
  presentKinds(): readonly (ValueKind | undefined)[] {
    return declaredKinds(this.#data, presentValueKinds(this.#data));
  }

  /**
   * Columns of the scope with values that are not of their definitions' types.
   *
   * @internal
   */
  async mistyped(): Promise<MistypedColumns> {
    const columns = this.scope.columns.map((_, column) => column);
    return mistypedColumns(this.#data, await this.kinds(columns));
  }

  /** Closes the engine if it was opened for these questions. One that was given stays open. */
  close(): Promise<void> {
    return this.#close();
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  /**
   * @param make makes the question; its arguments are judged when it is asked
   * @param partsOf the tables that the answer has besides; it is as of `time`
   */
  #answer<T extends ColumnTable, O extends QuestionOptions>(
    call: string,
    options: O,
    rules: OptionRules<Omit<O, "signal">>,
    make: (data: QuestionData) => Question<T>,
    partsOf: (table: T) => readonly ColumnTable[] = () => [],
    time?: TimePoint,
  ): Answer<T> {
    const data = this.#data;
    const question = (): Question<T> => {
      checkOptions<object>(call, options, { ...rules, ...questionRules });
      return make(data);
    };
    const provenance = () =>
      time === undefined ? this.provenance : { ...this.provenance, asOf: timePointText(time, this.timeZone) };
    const onFindings = (findings: readonly Finding[]) => {
      this.#ofAnswer = findings;
    };
    return answerTo({ data, call, provenance, signal: options.signal, onFindings }, question, partsOf);
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
  /** Takes what to know of the table, once that is there. */
  readonly onFindings: (findings: readonly Finding[]) => void;
}

/**
 * The answer to a question.
 *
 * @param question makes it; its arguments are judged when it is asked
 * @param partsOf the tables that the answer has besides
 */
function answerTo<T extends ColumnTable>(
  { data, call, provenance, signal, onFindings }: AskedCall,
  question: () => Question<T>,
  partsOf: (table: T) => readonly ColumnTable[],
): Answer<T> {
  return new Answer({
    table: async () => {
      const asked = question();
      const table = await asked.table(signal);
      const findings = asked.findings?.() ?? [];
      withTableFindings(table, findings);
      onFindings(findings);
      for (const part of [table, ...partsOf(table)]) withProvenance(part, provenance());
      return table;
    },
    copy: async (target, storing = signal) => storeAnswer(data, call, question(), target, storing),
    sql: async (dialect) => writeAnswer(data, call, question(), dialect, signal),
  });
}

/**
 * What a user should know of a log, as of a history: late edits, cycles of causes, merged columns that once had two values,
 * cells that are not what it says.
 */
async function askFindings(data: QuestionData): Promise<readonly Finding[]> {
  if (data.columns.length === 0) return cycleFinding(await causeLog(data, undefined));
  return [
    ...lateFinding(await countLate(data)),
    ...cycleFinding(await causeLog(data, undefined)),
    ...(await conflictFindings(data)),
    ...presentFinding(await countDifferent(data)),
  ];
}

/** How many cells of each column are not what their last change says; of what was known earlier nobody asks. */
async function countDifferent(data: QuestionData): Promise<readonly (readonly [string, number])[]> {
  if (data.scope.knownUpTo !== undefined) return [];
  const counts = data.names.map(() => 0);
  for await (const { rowCount, columns } of askInParts(data, 2 * data.columns.length, differentRows, undefined)) {
    for (let index = 0; index < rowCount; index += 1) {
      const column = Number(columns[0]?.[index]);
      counts[column] = (counts[column] as number) + Number(columns[1]?.[index]);
    }
  }
  return data.names.map((name, column) => [name, counts[column] as number]);
}

async function countLate(data: QuestionData): Promise<number> {
  let count = 0;
  for await (const { columns } of askInParts(data, changesPerFeature(data), lateCount, undefined)) {
    count += Number(columns[0]?.[0]);
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
