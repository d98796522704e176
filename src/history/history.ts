import type { ColumnTable } from "arquero";
import type { Block, PropertyDefinition } from "../api/resources.js";
import { counted } from "../core/counted.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { tellPromises } from "../core/forgotten-await.js";
import { provenanceText } from "../core/format/format-provenance.js";
import { checkOptions } from "../core/options.js";
import { type Provenance, provenance } from "../core/provenance.js";
import { isUuid } from "../core/uuid.js";
import type { PastLayer } from "../layer/build-layer.js";
import type { HistoryDeriveOptions } from "../layer/derive-rules.js";
import { columnUnit } from "../layer/layer-data.js";
import { listedChoices } from "../layer/option-labels.js";
import type { Column } from "../tables/column/column.js";
import { type ColumnFormat, setColumnFormat, setTimeZone } from "../tables/column/column-format.js";
import { toTable, withChoices, withProvenance, withTableDiagnostics } from "../tables/column/table.js";
import { withDiagnostics } from "../tables/display/html/render-table.js";
import { type TableView, tableSymbol } from "../tables/display/html/table-view.js";
import { displaySymbol, type MimeBundle } from "../tables/display/mime-bundle.js";
import { withPicture } from "../tables/display/pictures/picture.js";
import { tableBundle } from "../tables/display/table-bundle.js";
import { dateAfterRead } from "./cell/censoring-time.js";
import type { HistoryData } from "./cell/history-data.js";
import { knownAt } from "./cell/known-at.js";
import { heldValues } from "./cell/value-sets.js";
import { deriveColumn } from "./columns/added-columns.js";
import { editTimeline } from "./edit-timeline.js";
import { historyDiagnostics } from "./history-diagnostics.js";
import { historyBrand, type LiveColumns, readFrom, rememberColumns } from "./history-links.js";
import { namingCall } from "./naming-call.js";
import { type ValueOrder, valueOrder } from "./order/legend-order.js";
import { changes } from "./questions/changes.js";
import { defineQuestions } from "./questions/define/question-methods.js";

// For types: each question declares its method of a history.
import "./questions/define/registry.js";
import { NONE } from "./log/change-log.js";
import { partTables, type Specification } from "./questions/define/specification.js";
import { type TimePoint, timePointText } from "./time/valid-time.js";
import type { OcelLog, OcelOptions } from "./to-ocel.js";

/** The columns of a change that users read come first; UUIDs and microseconds come last. */
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

/** More values than this, such as titles, have no meaningful order, and ordering them is slow. */
const MOST_ORDERED = 100;

/** The parts of a history that are displayed. */
interface ShownHistory {
  readonly columns: readonly string[];
  readonly provenance: Provenance;
}

/**
 * The class behind `History` of `layer.ts`, which users see.
 *
 * @typeParam Rows the rows of its whole tables
 * @typeParam L the layers that it returns
 */
export class History<Rows extends ColumnTable = ColumnTable, L = unknown> {
  static {
    tellPromises("history", History.prototype);
    defineQuestions(History.prototype, (name, question) => {
      return function (this: History, ...given) {
        return namingCall(`${name}()`, () => this.#answer(name, question, given));
      };
    });
  }

  /** Property columns of this history. */
  readonly columns: readonly string[];
  /** When the log was read. This is the only "now". */
  readonly readAt: Date;
  /**
   * Default end of durations, spells and forecasts: `readAt`, or the point of `knownAt()` if that is earlier. For a
   * change id, it is the time in the id, if it is a UUIDv7.
   */
  readonly until: Date | string;
  /** Time zone in which calendar dates begin and end. */
  readonly timeZone: string;
  /** Origin and age of the log. Every table of this history has it: `provenanceOf(table)`. */
  readonly provenance: Provenance;
  readonly #data: HistoryData;
  readonly #readDiagnostics: readonly Diagnostic[];
  readonly #layerOf: (past: PastLayer) => L;
  #diagnostics: readonly Diagnostic[] | undefined;
  #formatsFound: ReadonlyMap<string, ColumnFormat> | undefined;
  /** Diagnostics about the last answer. */
  #ofAnswer: readonly Diagnostic[] = [];

  /** @internal */
  constructor(data: HistoryData, readDiagnostics: readonly Diagnostic[], layerOf: (past: PastLayer) => L) {
    this.columns = data.names;
    this.readAt = new Date(data.readAtUs / 1000);
    this.until = data.knownUntil ?? this.readAt;
    this.timeZone = data.timeZone;
    this.provenance = provenance(data.origin, data.readAtUs / 1000);
    this.#data = data;
    this.#readDiagnostics = readDiagnostics;
    this.#layerOf = layerOf;
    rememberColumns(this, liveColumnsOf(data));
  }

  /** @internal */
  get [historyBrand](): true {
    return true;
  }

  /** @internal The blocks of its layer. */
  get blocks(): readonly Block[] {
    return this.#data.blocks;
  }

  /** Number of changes in the log of these columns. */
  get length(): number {
    return this.#data.index.order.length - initialValues(this.#data);
  }

  /** @hidden @deprecated Use `asOf()` for a date, `joinAsOf()` for a table. */
  at(...given: readonly never[]): never {
    const isTable = typeof given[0] === "object" && !((given[0] as unknown) instanceof Date);
    throw new ArgumentError("Unknown method history.at().", {
      hint: `Did you mean ${isTable ? "joinAsOf" : "asOf"}()?`,
      facts: { call: "at()" },
    });
  }

  /**
   * Returns diagnostics about the log (changes after the time of reading, late edits, cycles of causes, times without a
   * zone, merged and unresolved columns, cells that differ from their last change), then about the last answer: a time
   * after the log was read, rows of `joinAsOf()` without values, values that are excluded from the sums of `totals()`.
   */
  get diagnostics(): readonly Diagnostic[] {
    this.#diagnostics ??= [...this.#readDiagnostics, ...historyDiagnostics(this.#data)];
    return [...this.#diagnostics, ...this.#ofAnswer];
  }

  /**
   * Returns the history limited to what had been inserted up to a point. Values that only later changes contain are
   * unknown, and the default `until` is the point.
   *
   * @param point a change id (inclusive), or a time if the ids are UUIDv7, which contain their insertion times
   * @example
   * ```ts
   * history.knownAt("2024-01-23").asOf("2024-01-23").groupby("STATUS").count()
   * ```
   * @throws ArgumentError also for a time if ids contain none
   */
  knownAt(point: TimePoint): History<Rows, L> {
    const data = namingCall("knownAt()", () => knownAt(this.#data, point));
    const afterRead = typeof point === "string" && isUuid(point) ? [] : this.#dateAfterRead(point);
    return new History<Rows, L>(data, [...this.#readDiagnostics, ...afterRead], this.#layerOf);
  }

  /**
   * Returns this history with a column computed from each feature's current row, for use as a `weight` or a `by`:
   * `history.derive("Crew", (row) => crewOf(row["ASSIGNEE"]))`. A feature has the same value on every date. Tables do
   * not include the column.
   *
   * @param name name of the column
   * @param compute computes the value from a row, whose fields are those of the record, this history's columns and
   * previously added columns; undefined becomes null
   * @param options `unit` of its numbers, for messages and axes
   * @example
   * ```ts
   * const crews = history.derive("Crew", (row) => String(row["ASSIGNEE"] ?? "unassigned").split(" ")[0]);
   * crews.counts("STATUS", ["2026-03-31"], { by: "Crew" }).select("Crew", "value", "count")
   * ```
   * @throws ArgumentError for a name that the history has already, and for a `compute` that is not a function
   */
  derive(
    name: string,
    compute: (row: Readonly<Record<string, unknown>>) => unknown,
    options: HistoryDeriveOptions = {},
  ): History<Rows, L> {
    const data = deriveColumn(this.#data, name, compute, options);
    return new History<Rows, L>(data, this.#readDiagnostics, this.#layerOf);
  }

  /**
   * Returns the history as an object-centric event log (OCEL 2.0), for process mining. Features are objects, whose
   * attributes are the properties with the start of each value, and changes are events.
   *
   * @param options the file, and the column whose values are activities
   * @example
   * ```ts
   * const log = await history.toOCEL({ activity: "STATUS", path: "tickets.json" });
   * log.events[0]
   * ```
   * @throws ArgumentError for a missing column, and FileError for a file that cannot be written
   */
  async toOCEL(options: OcelOptions = {}): Promise<OcelLog> {
    const { toOcel } = await import("./to-ocel.js");
    return toOcel(this.#data, options);
  }

  /** The log as a table with a timeline of its edits and its diagnostics, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const log = withPicture(tableBundle(this.#view()), editTimeline(this.#data));
    return withDiagnostics(log, this.diagnostics, this.length);
  }

  /** @internal The definitions of a column's properties. */
  definitions(column: string): readonly PropertyDefinition[] {
    const named = this.#data.columns.find((one) => one.column === column);
    return named?.keys.flatMap(({ definition }) => definition ?? []) ?? [];
  }

  /** @internal The values of a column in the order of legends. */
  valueOrder(column: string): ValueOrder {
    // Computing the order asks questions, which must not replace the last answer.
    const kept = this.#ofAnswer;
    const order = valueOrder(this, column);
    this.#ofAnswer = kept;
    return order;
  }

  /** @internal All distinct values of a column in changes, features and the definition. */
  heldValues(column: string): Iterable<unknown> {
    return new Set(heldValues(this.#data, this.columns.indexOf(column)));
  }

  /** @internal The content for `show()`. */
  [tableSymbol](): TableView {
    return this.#view();
  }

  /** Formats by column, for columns that have one. */
  get #formats(): ReadonlyMap<string, ColumnFormat> {
    this.#formatsFound ??= new Map(
      this.#data.columns.flatMap(({ column, keys }) => {
        const definitions = keys.flatMap(({ definition }) => definition ?? []);
        const unit = this.#data.added.get(column)?.unit ?? columnUnit({ definitions });
        return unit === undefined ? [] : [[column, { unit }] as const];
      }),
    );
    return this.#formatsFound;
  }

  #view(): TableView {
    const table = withoutColumns(changes(this.#data), {}, this.#data.lacks);
    return historyView(this, table, this.#data.features.count);
  }

  /** @throws ArgumentError for unknown options of the question */
  #answer(name: string, question: Specification, given: readonly never[]): unknown {
    const { takes, options, time, layer, memory, isAsOf, hasFeatures } = question;
    checkOptions<object>(`${name}()`, given[takes.length], options);
    if (layer) return this.#layerAsOf(layer(this.#data, ...given), this.#dateAfterRead(time?.(...given)));
    if (!memory) throw new TypeError(`nothing answers ${name}`);
    const answer = memory(this.#data, ...given);
    const { diagnostics = [] } = answer;
    const table = hasProperties(question) ? answer.table : withoutColumns(answer.table, question, this.#data.lacks);
    const point = time?.(...given);
    this.#ofAnswer = [...this.#dateAfterRead(point), ...diagnostics];
    if (isAsOf) for (const [name, format] of this.#formats) setColumnFormat(table.column(name), format);
    const provenance =
      isAsOf && point !== undefined
        ? { ...this.provenance, asOf: timePointText(point, this.timeZone) }
        : this.provenance;
    const about = takes[0] === "column" ? String(given[0]) : undefined;
    withTableDiagnostics(table, this.#ofAnswer);
    for (const one of [table, ...partTables(table, question).values()]) {
      setTimeZone(one, this.timeZone);
      withChoices(withProvenance(one, provenance), (name, valuesOf) => this.#choicesOf(name, about, valuesOf));
    }
    return hasFeatures ? readFrom(this, table) : table;
  }

  /** @param about the column of a question: its answer has the column's values under other names */
  #choicesOf(name: string, about: string | undefined, valuesOf: () => readonly string[]): readonly string[] {
    const isValue = about !== undefined && ["value", "from", "to"].includes(name);
    const column = isValue ? about : name;
    const listed = listedChoices(this.definitions(column));
    if (listed.length > 0 || !this.columns.includes(column)) return listed;
    const { length } = valuesOf();
    if (length === 0 || length > MOST_ORDERED) return [];
    return this.valueOrder(column).places;
  }

  #layerAsOf(past: PastLayer, afterRead: readonly Diagnostic[]): L {
    this.#ofAnswer = afterRead;
    const layer = this.#layerOf({ ...past, diagnostics: () => [...past.diagnostics(), ...afterRead] });
    readFrom(this, past.table);
    return typeof layer === "object" && layer !== null ? readFrom(this, layer) : layer;
  }

  #dateAfterRead(time: TimePoint | undefined): readonly Diagnostic[] {
    return dateAfterRead(this.#data, time);
  }
}

/** Number of initial values in a history. */
function initialValues({ log, columnOfKey }: HistoryData): number {
  let count = 0;
  for (let index = 0; index < log.initial; index += 1) {
    count += Number(columnOfKey[log.keyCodes[index] as number] !== NONE);
  }
  return count;
}

/**
 * Whether the columns of an answer are named after properties or their values: then none of them is a column of the
 * log, whatever its name.
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

/** A table and its parts, without the columns for which the log has no data. */
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
  const newParts = [...partTables(table, { parts })].map(([name, part]) => [name, kept(part)] as const);
  return Object.assign(kept(table), Object.fromEntries(newParts));
}

/** The columns of `changes()` in the order of the displayed log. */
function shownLog(names: readonly string[]): readonly string[] {
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
}

/** The log of a history for `show()`. */
function historyView(history: ShownHistory, table: ColumnTable, featureCount: number): TableView {
  const columns = shownLog(table.columnNames()).map((name) => ({ name, at: table.getter(name) }));
  const from = provenanceText(history.provenance, "caption");
  const properties = counted(history.columns.length, "property", "properties");
  const features = counted(featureCount, "feature");
  const caption = `History of ${properties}, ${features}, from ${from}`;
  return { rowCount: table.numRows(), columns, caption, owner: history };
}
