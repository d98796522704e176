import type { ColumnTable } from "arquero";
import type { PropertyDefinition } from "../api/resources.js";
import type { Finding } from "../core/finding.js";
import { type Provenance, provenance } from "../core/provenance.js";
import { isUuid } from "../core/uuid.js";
import type { PastLayer } from "../layer/past-layer.js";
import type { RowTable } from "../tables/column/row-table.js";
import { withProvenance, withTableFindings } from "../tables/column/table.js";
import { withFindings } from "../tables/display/html/render-table.js";
import { type TableView, tableSymbol } from "../tables/display/html/table-view.js";
import { displaySymbol, type MimeBundle } from "../tables/display/mime-bundle.js";
import { withPicture } from "../tables/display/pictures/picture.js";
import { tableBundle } from "../tables/display/table-bundle.js";
import { originText } from "../tables/display/text.js";
import { beyondReading, type FoundTable } from "./cell/beyond-reading.js";
import type { HistoryData } from "./cell/history-data.js";
import { knownAt } from "./cell/known-at.js";
import type { StepOptions } from "./columns/step-order.js";
import type { GroupOptions } from "./grid/group-codes.js";
import { historyFindings } from "./history-findings.js";
import type { JoinableTable } from "./join/join-table.js";
import { againstPlan, type PlanOptions, type PlanVariance } from "./questions/against-plan.js";
import { type AsOfOptions, asOf } from "./questions/as-of.js";
import { type AtOptions, at } from "./questions/at.js";
import { causes } from "./questions/causes.js";
import { type ChangeRow, changes } from "./questions/changes.js";
import { counts } from "./questions/counts.js";
import { diff } from "./questions/diff.js";
import { type DurationOptions, durations } from "./questions/durations.js";
import { editTimeline } from "./questions/edit-timeline.js";
import { type Forecast, type ForecastOptions, forecast } from "./questions/forecast.js";
import { readFrom } from "./questions/history-behind.js";
import { intervals } from "./questions/intervals.js";
import { lateEdits } from "./questions/late-edits.js";
import { layerAt } from "./questions/layer-at.js";
import { type PanelOptions, panel } from "./questions/panel.js";
import { type People, people } from "./questions/people.js";
import { type Reconciliation, reconcile } from "./questions/reconcile.js";
import { type StatesOptions, states } from "./questions/states.js";
import { steps } from "./questions/steps.js";
import { type Survival, type SurvivalOptions, survival } from "./questions/survival.js";
import { totals } from "./questions/totals.js";
import { type TransitionRow, transitions } from "./questions/transitions.js";
import type { Grid } from "./time/date-grid.js";
import { type TimePoint, timePointText } from "./time/valid-time.js";

/** What people read of a change comes first; UUIDs and numbers of machines come last. */
const order = [
  "visible_id",
  "column",
  "value",
  "previous",
  "created_at",
  "user_id",
  "system",
  "id",
  "seq",
  "created_at_us",
  "change_id",
  "property_key",
  "caused_by_change_id",
];

/** What of a history is shown. */
interface ShownHistory {
  readonly columns: readonly string[];
  readonly provenance: Provenance;
}

/**
 * What `History` of `layer.ts` is, which users see and read about.
 *
 * @typeParam Rows the rows of its whole tables
 * @typeParam L the layers that it gives
 */
export class History<Rows extends ColumnTable = ColumnTable, L = unknown> {
  /** Property columns that this history is about. */
  readonly columns: readonly string[];
  /** When the log was read. Nothing else knows "now". */
  readonly readAt: Date;
  /**
   * Where spells, stays and forecasts end that are given no `until`: `readAt`, or the point of `knownAt()` if that is
   * earlier. Of the id of a change it is the time that it tells, if it is a UUIDv7.
   */
  readonly until: Date | string;
  /** Time zone in which calendar dates begin and end. */
  readonly timeZone: string;
  /** Where the log comes from and how old it is. Every table of this history carries it: `provenanceOf(table)`. */
  readonly provenance: Provenance;
  readonly #data: HistoryData;
  readonly #readFindings: readonly Finding[];
  readonly #layerOf: (past: PastLayer) => L;
  #findings: readonly Finding[] | undefined;
  /** What to know of the answer to the last question. */
  #ofAnswer: readonly Finding[] = [];

  /** @internal */
  constructor(data: HistoryData, readFindings: readonly Finding[], layerOf: (past: PastLayer) => L) {
    this.columns = data.names;
    this.readAt = new Date(data.readAtUs / 1000);
    this.until = data.knownUntil ?? this.readAt;
    this.timeZone = data.timeZone;
    this.provenance = provenance(data.origin, data.readAtUs / 1000);
    this.#data = data;
    this.#readFindings = readFindings;
    this.#layerOf = layerOf;
  }

  /** Number of changes in the log of these columns. */
  get changeCount(): number {
    return this.#data.index.order.length;
  }

  /**
   * What a user should know of the log (late edits, cycles of causes, times without a zone, merged and unresolved columns, cells
   * that are not what their last change says), then of the answer to the last question: a time after the log was read, rows
   * of `at()` without values, values that are not in the sums of `totals()`.
   */
  get findings(): readonly Finding[] {
    this.#findings ??= [...this.#readFindings, ...historyFindings(this.#data)];
    return [...this.#findings, ...this.#ofAnswer];
  }

  /**
   * The log as a table, one row a change, in valid order: `change_id`, `seq` (rank of insertion, from 0), `id`,
   * `visible_id`, `column`, `property_key`, `value`, `previous`, `system`, `user_id`, `caused_by_change_id`,
   * `created_at`, `created_at_us`. `previous` is the value before, of the same feature and property key.
   */
  changes(): RowTable<ChangeRow> {
    return this.#answer(changes(this.#data));
  }

  /**
   * The layer as it was: one row a feature that existed, the layer's columns, property values as of a time.
   *
   * @param options which columns, and what stands for values and features that are not known
   * @throws ArgumentError
   */
  asOf(time: TimePoint, options?: AsOfOptions & { readonly columns?: undefined }): Rows;
  asOf(time: TimePoint, options?: AsOfOptions): ColumnTable;
  asOf(time: TimePoint, options: AsOfOptions = {}): ColumnTable {
    const table = asOf(this.#data, time, options);
    this.#ofAnswer = this.#beyond(time);
    withTableFindings(table, this.#ofAnswer);
    return readFrom(this, withProvenance(table, this.#provenanceAt(time)));
  }

  /**
   * The layer as it was: a whole layer whose table is that of `asOf()`, with every export, map, join and query of a layer.
   * Its `schema` and `findings` are about the values of then; `provenance.asOf` tells the time. Names, descriptions and
   * geometries are those that were read, since the log does not tell how they were before.
   *
   * @throws ArgumentError
   */
  layerAt(time: TimePoint, options: AsOfOptions = {}): L {
    const past = layerAt(this.#data, time, options);
    const beyond = this.#beyond(time);
    this.#ofAnswer = beyond;
    const layer = this.#layerOf({ ...past, findings: () => [...past.findings(), ...beyond] });
    readFrom(this, past.table);
    if (typeof layer === "object" && layer !== null) readFrom(this, layer);
    return layer;
  }

  /**
   * A point-in-time join: the rows of a table, each with the values of its feature at its time. Behind the table's own
   * columns stand the properties, each with `<column>.state` and `<column>.age_days` on request; an added column that is
   * called like one before it is `properties.<name>`. Rows without a known id or without a time have nulls, and the state
   * `unknown`: `findings` counts them. A row at the time of a change sees it.
   *
   * @param table an Arquero table (rows after its filter, in its order), an array of records, or a Danfo frame
   * @throws ArgumentError for columns that there are not, and values that are no times
   */
  at(table: JoinableTable, options: AtOptions): ColumnTable {
    return this.#found(at(this.#data, table, options));
  }

  /**
   * How each value at a time is known: `id`, `visible_id`, `column`, `value`, `state` (`logged`, `cleared`,
   * `unchanged`, `unknown`, `absent`), `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
   *
   * @throws ArgumentError
   */
  states(time: TimePoint, options: StatesOptions = {}): ColumnTable {
    return this.#answer(states(this.#data, time, options), this.#beyond(time));
  }

  /**
   * Values at many dates, one row a date and feature that existed then: `date` as it was asked for, `id`,
   * `visible_id`, and the properties. A property of one of these names is `properties.<name>`.
   *
   * @param grid dates, as a list or `{ dates }`, or `{ from, to, every }` with `day`, `week`, `month`, `quarter`, `year` or an ISO
   * duration; steps are counted from `from`, and `to` is included where one falls on it
   * @throws ArgumentError also for a step that is none or not positive
   */
  panel(grid: Grid, options: PanelOptions = {}): ColumnTable {
    return readFrom(this, this.#found(panel(this.#data, grid, options)));
  }

  /**
   * How many features hold each value at each date, of those that existed then: `date`, `state`, `value`, `count`.
   * `by` adds a column of its name after `date`: a base field, or a property as of the same date.
   *
   * @param column name of a property column
   * @throws ArgumentError
   */
  counts(column: string, grid: Grid, options: GroupOptions = {}): ColumnTable {
    return this.#found(counts(this.#data, column, grid, options));
  }

  /**
   * Sums of the numbers in a column at each date: `date`, `sum`, `count` (numbers that were summed), `unknown`
   * (features whose value is not known). `by` as in `counts`. Values that are not of the type of the column's definition,
   * as 2.5 of an INTEGER, are no part of a sum, as in exports and SQL: `findings` counts them.
   *
   * @param column name of a property column of numbers
   * @throws ArgumentError also for a column without numbers
   */
  totals(column: string, grid: Grid, options: GroupOptions = {}): ColumnTable {
    return this.#found(totals(this.#data, column, grid, options));
  }

  /**
   * When each feature held which value: `id`, `visible_id`, `value`, `state`, `valid_from`, `valid_to` (excluded;
   * null while it holds), `change_id`, `valid_from_us`, `valid_to_us`. Consecutive equal values are one interval.
   *
   * @param column name of a property column
   * @throws ArgumentError
   */
  intervals(column: string): ColumnTable {
    return this.#answer(intervals(this.#data, column));
  }

  /**
   * How long each feature held each value: `id`, `visible_id`, `value`, `state`, `days` (of 24 hours), `visits`.
   *
   * @param column name of a property column
   * @throws ArgumentError
   */
  durations(column: string, options: DurationOptions = {}): ColumnTable {
    return this.#answer(durations(this.#data, column, options), this.#beyond(options.until));
  }

  /**
   * How often one value followed another: `from`, `to`, `count`, `median_days` (how long the first had held).
   * Cleared is null; a first value after unknown is no transition. With `order` also `backward`.
   *
   * @param column name of a property column
   * @throws ArgumentError also for an order with a value twice, or one that the column never had in place of another
   */
  transitions(column: string, options: StepOptions = {}): RowTable<TransitionRow> {
    return this.#answer(transitions(this.#data, column, options));
  }

  /**
   * Each single step that `transitions` counts, feature by feature, in order of time: `id`, `visible_id`, `from`, `to`,
   * `days` (how long `from` had held), and the edit: `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
   * With `order` also `backward`.
   *
   * @param column name of a property column
   * @throws ArgumentError like `transitions`
   */
  steps(column: string, options: StepOptions = {}): ColumnTable {
    return this.#answer(steps(this.#data, column, options));
  }

  /**
   * How long it takes from one value to another, open spells included (Kaplan-Meier): `days` since the beginning (of 24
   * hours), `at_risk`, `entered`, `events`, `censored`, `survival` (share that has not got there), `lower`, `upper`.
   * `by` adds a column of its name before them. `medians` and `findings` of the table tell the rest.
   *
   * @param column name of a property column
   * @throws ArgumentError also for values that no feature ever had
   */
  survival(column: string, options: SurvivalOptions): Survival {
    const table = survival(this.#data, column, options);
    return this.#told(table, options, table.medians);
  }

  /**
   * When all is done if weeks go on as the last ones did (Monte Carlo): `probability` (of P50, P80, P95), `date`, `weeks`,
   * and how forecasts of the past were kept: `backtests`, `kept`, `coverage`. No row for a log below eight weeks.
   *
   * @param column name of a property column
   * @throws ArgumentError also for values that no feature ever had
   */
  forecast(column: string, options: ForecastOptions): Forecast {
    const table = forecast(this.#data, column, options);
    return this.#told(table, options, table.fan, table.backtest);
  }

  /**
   * What was done beside what was planned, one row: `date`, `done`, `planned`, `total`, `percent_done`,
   * `percent_planned`, `variance_percent` and `variance_days` (above 0: ahead of the plan).
   *
   * @param column name of a property column
   * @throws ArgumentError also for what is no plan
   */
  againstPlan(column: string, options: PlanOptions): PlanVariance {
    const table = againstPlan(this.#data, column, options);
    return this.#told(table, options, table.plan);
  }

  /**
   * What happened between two times: every cell that was changed after `earlier` and up to `later`, and those of
   * features that appeared. `id`, `visible_id`, `column`, `before`, `after`, `before_state`, `after_state`, `changes`.
   *
   * @throws ArgumentError also if `later` is the earlier one
   */
  diff(earlier: TimePoint, later: TimePoint): ColumnTable {
    return this.#answer(diff(this.#data, earlier, later), this.#beyond(later));
  }

  /**
   * The history as it was known: limited to what was inserted up to a point. Values that only later changes tell are
   * unknown, and what is given no `until` ends at the point.
   *
   * @param point a change id (inclusive), or a time where the ids are UUIDv7 and say when they were inserted
   * @throws ArgumentError also for a time where ids do not say
   */
  knownAt(point: TimePoint): History<Rows, L> {
    const data = knownAt(this.#data, point);
    const beyond = typeof point === "string" && isUuid(point) ? [] : this.#beyond(point);
    return new History<Rows, L>(data, [...this.#readFindings, ...beyond], this.#layerOf);
  }

  /**
   * Changes that a newer one had overtaken: they were not the newest of their feature and property when they were
   * inserted. `change_id`, `id`, `column`, `value`, `created_at`, `overtaken_created_at` (of the newer one),
   * `late_by_days` (how much older than it they are). How long after it was made a change came in is another question: one
   * that comes in weeks later is not among them if nothing newer had come in before it.
   */
  lateEdits(): ColumnTable {
    return this.#answer(lateEdits(this.#data));
  }

  /**
   * Changes that caused others or were caused: `root_change_id`, `change_id`, `depth`, `id`, `column`, `value`, tree
   * by tree. A cause outside the log is a root without a row; cycles are cut at their first change.
   */
  causes(): ColumnTable {
    return this.#answer(causes(this.#data));
  }

  /**
   * Whether the log explains the present, column by column: `column`, `pairs` (features with changes), then how many
   * current values are the last in `valid` order, in order of `insertion`, in `both`, in `neither`. `mismatches` lists
   * those that valid order does not explain: `id`, `visible_id`, `column`, `logged`, `current`, `insertion`.
   */
  reconcile(): Reconciliation {
    const table = reconcile(this.#data);
    return this.#answer(table, [], table.mismatches);
  }

  /**
   * Who edited: `user_id`, `system`, `edits`, `first_at`, `last_at`. `hours` says when, by clocks in `timeZone`:
   * `user_id`, `system`, `weekday` (1 is Monday), `hour`, `edits`.
   */
  people(): People {
    const table = people(this.#data);
    return this.#answer(table, [], table.hours);
  }

  /** The log as a table with a timeline of its edits and its findings, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const log = withPicture(tableBundle(this[tableSymbol]()), editTimeline(this.#data));
    return withFindings(log, this.findings, this.changeCount);
  }

  /** @internal The definitions of a column's properties. */
  definitions(column: string): readonly PropertyDefinition[] {
    const found = this.#data.columns.find((one) => one.column === column);
    return found?.keys.flatMap(({ definition }) => definition ?? []) ?? [];
  }

  /** @internal What `show()` shows. */
  [tableSymbol](): TableView {
    return historyView(this, changes(this.#data), this.#data.features.count);
  }

  #beyond(time: TimePoint | undefined): readonly Finding[] {
    return beyondReading(this.#data, time);
  }

  #provenanceAt(time: TimePoint): Provenance {
    return { ...this.provenance, asOf: timePointText(time, this.timeZone) };
  }

  #found({ table, findings }: FoundTable): ColumnTable {
    return this.#answer(table, findings);
  }

  /** A table that has findings of its own, with what to know of an end after the log was read. */
  #told<T extends ColumnTable & { readonly findings: readonly Finding[] }>(
    table: T,
    { until }: { readonly until?: TimePoint },
    ...parts: readonly ColumnTable[]
  ): T {
    const findings = [...this.#beyond(until), ...table.findings];
    return this.#answer(table, findings, ...parts);
  }

  /** @param findings what to know of it, until the next question is answered */
  #answer<T extends ColumnTable>(table: T, findings: readonly Finding[] = [], ...parts: readonly ColumnTable[]): T {
    this.#ofAnswer = findings;
    for (const part of parts) withProvenance(part, this.provenance);
    return withProvenance(withTableFindings(table, findings), this.provenance);
  }
}

/** The columns of `changes()` in the order in which a history shows its log. */
function shownLog(names: readonly string[]): readonly string[] {
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
}

/** The log of a history as `show()` shows it. */
function historyView(history: ShownHistory, table: ColumnTable, featureCount: number): TableView {
  const columns = shownLog(table.columnNames()).map((name) => ({ name, at: table.getter(name) }));
  const from = originText(history.provenance);
  const count = (total: number, one: string, many: string) =>
    `${total.toLocaleString("en-US")} ${total === 1 ? one : many}`;
  const properties = count(history.columns.length, "property", "properties");
  const features = count(featureCount, "feature", "features");
  const caption = `History of ${properties}, ${features}, from ${from}`;
  return { rowCount: table.numRows(), columns, caption, owner: history };
}
