import type { ColumnTable } from "arquero";
import type { Block, PropertyDefinition } from "../api/resources.js";
import { counted } from "../core/counted.js";
import type { Finding } from "../core/finding.js";
import { tellPromises } from "../core/forgotten-await.js";
import { checkOptions } from "../core/options.js";
import { type Provenance, provenance } from "../core/provenance.js";
import { isUuid } from "../core/uuid.js";
import type { DeriveOptions } from "../layer/derive-rules.js";
import { columnUnit } from "../layer/layer-data.js";
import { listedChoices } from "../layer/option-labels.js";
import type { PastLayer } from "../layer/past-layer.js";
import type { Column } from "../tables/column/column.js";
import { setUnit } from "../tables/column/column-units.js";
import { toTable, withChoices, withProvenance, withTableFindings } from "../tables/column/table.js";
import { withFindings } from "../tables/display/html/render-table.js";
import { type TableView, tableSymbol } from "../tables/display/html/table-view.js";
import { displaySymbol, type MimeBundle } from "../tables/display/mime-bundle.js";
import { withPicture } from "../tables/display/pictures/picture.js";
import { tableBundle } from "../tables/display/table-bundle.js";
import { originText } from "../tables/display/text.js";
import { beyondReading } from "./cell/beyond-reading.js";
import type { HistoryData } from "./cell/history-data.js";
import { knownAt } from "./cell/known-at.js";
import { heldValues } from "./cell/value-sets.js";
import { deriveColumn } from "./columns/added-columns.js";
import { historyBrand } from "./history-brand.js";
import { historyFindings } from "./history-findings.js";
import { type LiveColumns, rememberColumns } from "./live-columns.js";
import { type ValueOrder, valueOrder } from "./order/value-order.js";
import { defineQuestions } from "./questions/by-name.js";
import { changes } from "./questions/changes.js";
import { editTimeline } from "./questions/edit-timeline.js";
import { readFrom } from "./questions/history-behind.js";
// For types: each question declares its method of a history.
import "./questions/registry.js";
import { NONE } from "./log/change-log.js";
import { partTables, type Specification } from "./questions/specification.js";
import { type TimePoint, timePointText } from "./time/valid-time.js";
import type { OcelLog, OcelOptions } from "./to-ocel.js";

/** What people read of a change comes first; UUIDs and numbers of machines come last. */
const order = [
  "visible_id",
  "column",
  "value",
  "previous",
  "created_at",
  "recorded_at",
  "local_date",
  "user_id",
  "system",
  "id",
  "seq",
  "created_at_us",
  "change_id",
  "property_key",
  "caused_by_change_id",
];

/** More values than this, such as titles, have no order that anybody looks for, and to find one takes long. */
const MOST_ORDERED = 100;

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
  static {
    defineQuestions(History.prototype, (history, name, question, given) => history.#answer(name, question, given));
    tellPromises("history", History.prototype);
  }

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
  #unitsFound: ReadonlyMap<string, string> | undefined;
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
    rememberColumns(this, liveColumnsOf(data));
  }

  /** @internal */
  get [historyBrand](): true {
    return true;
  }

  /** @internal The blocks that its layer knows. */
  get blocks(): readonly Block[] {
    return this.#data.blocks;
  }

  /** Number of changes in the log of these columns. */
  get changeCount(): number {
    return this.#data.index.order.length - initialValues(this.#data);
  }

  /**
   * Findings of the log (changes after the time of reading, late edits, cycles of causes, times without a zone,
   * merged and unresolved columns, cells that differ from their last change), then of the answer to the last question: a time after the log was read, rows
   * of `at()` without values, values that are not in the sums of `totals()`.
   */
  get findings(): readonly Finding[] {
    this.#findings ??= [...this.#readFindings, ...historyFindings(this.#data)];
    return [...this.#findings, ...this.#ofAnswer];
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
   * This history with a column that is computed from each feature's present row, as a `weight` or a `by`:
   * `history.derive("Crew", (row) => crewOf(row["ASSIGNEE"]))`. What it is of a feature is the same at every date. Tables do not
   * have the column.
   *
   * @param name of the column
   * @param compute makes a value of a row, whose fields are those of the record, this history's columns and what was added
   *   before; undefined becomes null
   * @param options `unit` of its numbers, for texts and axes
   * @throws ArgumentError for a name that the history has already, and what is no function
   */
  derive(
    name: string,
    compute: (row: Readonly<Record<string, unknown>>) => unknown,
    options: DeriveOptions = {},
  ): History<Rows, L> {
    const data = deriveColumn(this.#data, name, compute, options);
    return new History<Rows, L>(data, this.#readFindings, this.#layerOf);
  }

  /**
   * The history as an object-centric event log (OCEL 2.0), for process mining: features are objects, whose attributes are the
   * properties since when each value holds, and changes are events.
   *
   * @param options the file, and the column whose values are activities
   * @throws ArgumentError for a column that there is not, and a file that cannot be written
   */
  async toOCEL(options: OcelOptions = {}): Promise<OcelLog> {
    const { toOcel } = await import("./to-ocel.js");
    return toOcel(this.#data, options);
  }

  /** The log as a table with a timeline of its edits and its findings, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const log = withPicture(tableBundle(this.#view()), editTimeline(this.#data));
    return withFindings(log, this.findings, this.changeCount);
  }

  /** @internal The definitions of a column's properties. */
  definitions(column: string): readonly PropertyDefinition[] {
    const found = this.#data.columns.find((one) => one.column === column);
    return found?.keys.flatMap(({ definition }) => definition ?? []) ?? [];
  }

  /** @internal The values of a column in the order that legends have. */
  valueOrder(column: string): ValueOrder {
    // It asks questions, and is none.
    const kept = this.#ofAnswer;
    const order = valueOrder(this, column);
    this.#ofAnswer = kept;
    return order;
  }

  /** @internal All values that changes, features and the definition have for a column, each once. */
  heldValues(column: string): Iterable<unknown> {
    return new Set(heldValues(this.#data, this.columns.indexOf(column)));
  }

  /** @internal What `show()` shows. */
  [tableSymbol](): TableView {
    return this.#view();
  }

  /** By column, those that have one. */
  get #units(): ReadonlyMap<string, string> {
    this.#unitsFound ??= new Map(
      this.#data.columns.flatMap(({ column, keys }) => {
        const definitions = keys.flatMap(({ definition }) => definition ?? []);
        const unit = this.#data.added.get(column)?.unit ?? columnUnit({ definitions });
        return unit === undefined ? [] : [[column, unit] as const];
      }),
    );
    return this.#unitsFound;
  }

  #view(): TableView {
    const table = withoutColumns(changes(this.#data), {}, this.#data.lacks);
    return historyView(this, table, this.#data.features.count);
  }

  /** @throws ArgumentError for options that the question does not take */
  #answer(name: string, question: Specification, given: readonly never[]): unknown {
    const { takes, options, time, layer, memory, isAsOf, hasFeatures } = question;
    checkOptions<object>(`${name}()`, given[takes.length], options);
    if (layer) return this.#layerAt(layer(this.#data, ...given), this.#beyond(time?.(...given)));
    if (!memory) throw new TypeError(`nothing answers ${name}`);
    const answer = memory(this.#data, ...given);
    const { findings = [] } = answer;
    const table = hasProperties(question) ? answer.table : withoutColumns(answer.table, question, this.#data.lacks);
    const asked = time?.(...given);
    this.#ofAnswer = [...this.#beyond(asked), ...findings];
    if (isAsOf) for (const [name, unit] of this.#units) setUnit(table.column(name), unit);
    const provenance =
      isAsOf && asked !== undefined
        ? { ...this.provenance, asOf: timePointText(asked, this.timeZone) }
        : this.provenance;
    const about = takes[0] === "column" ? String(given[0]) : undefined;
    withTableFindings(table, this.#ofAnswer);
    for (const one of [table, ...partTables(table, question).values()]) {
      withChoices(withProvenance(one, provenance), (name, found) => this.#choicesOf(name, about, found));
    }
    return hasFeatures ? readFrom(this, table) : table;
  }

  /** @param about the column that a question is about: its answer has the values under names of its own */
  #choicesOf(name: string, about: string | undefined, found: () => readonly string[]): readonly string[] {
    const isValue = about !== undefined && ["value", "from", "to"].includes(name);
    const column = isValue ? about : name;
    const listed = listedChoices(this.definitions(column));
    if (listed.length > 0 || !this.columns.includes(column)) return listed;
    const { length } = found();
    if (length === 0 || length > MOST_ORDERED) return [];
    return this.valueOrder(column).places;
  }

  #layerAt(past: PastLayer, beyond: readonly Finding[]): L {
    this.#ofAnswer = beyond;
    const layer = this.#layerOf({ ...past, findings: () => [...past.findings(), ...beyond] });
    readFrom(this, past.table);
    return typeof layer === "object" && layer !== null ? readFrom(this, layer) : layer;
  }

  #beyond(time: TimePoint | undefined): readonly Finding[] {
    return beyondReading(this.#data, time);
  }
}

/** How many values a history knows that stood before the first change. */
function initialValues({ log, columnOfKey }: HistoryData): number {
  let count = 0;
  for (let place = 0; place < log.initial; place += 1) {
    count += Number(columnOfKey[log.keyCodes[place] as number] !== NONE);
  }
  return count;
}

/**
 * Whether an answer has properties, or values of one, for columns: none of its columns is of the log then, whatever it is
 * called.
 */
function hasProperties({ options }: Specification): boolean {
  return "columns" in options || "by" in options;
}

function liveColumnsOf(data: HistoryData): LiveColumns {
  const { features, columns, names } = data;
  const { leading, trailing } = features.fields;
  return {
    fields: { leading, trailing },
    choiceCount: (name) => columns.find(({ column }) => column === name)?.choices.length ?? 0,
    valuesOf(name) {
      if (names.includes(name)) return heldValues(data, names.indexOf(name));
      const field = [...leading, ...trailing].find((each) => each === name);
      return field === undefined ? [] : features.base(field);
    },
  };
}

/** A table and its parts without the columns of which the log knows nothing. */
function withoutColumns(
  table: ColumnTable,
  { parts = [] }: Pick<Specification, "parts">,
  lacks: ReadonlySet<string>,
): ColumnTable {
  if (lacks.size === 0) return table;
  const kept = (one: ColumnTable) => {
    const all = one.columnNames();
    if (!all.some((name) => lacks.has(name))) return one;
    return toTable(all.filter((name) => !lacks.has(name)).map((name) => [name, one.column(name) as Column] as const));
  };
  const own = [...partTables(table, { parts })].map(([name, part]) => [name, kept(part)] as const);
  return Object.assign(kept(table), Object.fromEntries(own));
}

/** The columns of `changes()` in the order in which a history shows its log. */
function shownLog(names: readonly string[]): readonly string[] {
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
}

/** The log of a history as `show()` shows it. */
function historyView(history: ShownHistory, table: ColumnTable, featureCount: number): TableView {
  const columns = shownLog(table.columnNames()).map((name) => ({ name, at: table.getter(name) }));
  const from = originText(history.provenance);
  const properties = counted(history.columns.length, "property", "properties");
  const features = counted(featureCount, "feature");
  const caption = `History of ${properties}, ${features}, from ${from}`;
  return { rowCount: table.numRows(), columns, caption, owner: history };
}
