import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import { displaySymbol } from "../display/display-symbol.js";
import type { MimeBundle } from "../display/mime-bundle.js";
import { originText } from "../display/origin-text.js";
import { withFindings } from "../display/render-findings.js";
import { renderTable } from "../display/render-table.js";
import { type AsOfOptions, asOf } from "./as-of.js";
import { changes } from "./changes.js";
import type { HistoryData } from "./history-data.js";
import { type StatesOptions, states } from "./states.js";
import type { TimePoint } from "./valid-time.js";

/**
 * The property changes of a layer's features: values at any date.
 *
 * The last change at or before a time wins, in the order of `(created_at, id)` within one feature and property.
 */
export class History {
  /** Property columns that this history is about. */
  readonly columns: readonly string[];
  readonly findings: readonly Finding[];
  /** When the log was read: the default end of open intervals. Nothing else knows "now". */
  readonly readAt: Date;
  /** Time zone in which calendar dates begin and end. */
  readonly timeZone: string;
  readonly #data: HistoryData;

  /** @internal */
  constructor(data: HistoryData, readAt: number, findings: readonly Finding[]) {
    this.columns = data.columns.map(({ column }) => column);
    this.findings = findings;
    this.readAt = new Date(readAt);
    this.timeZone = data.timeZone;
    this.#data = data;
  }

  /** Number of changes in the log of these columns. */
  get changeCount(): number {
    return this.#data.index.order.length;
  }

  /**
   * The log as a table, one row a change, in valid order: `change_id`, `seq` (rank of insertion, from 0), `id`,
   * `visible_id`, `column`, `property_key`, `value`, `previous`, `system`, `user_id`, `caused_by_change_id`,
   * `created_at`, `created_at_us` (microseconds since 1970).
   */
  get changes(): ColumnTable {
    return changes(this.#data);
  }

  /**
   * The layer as it was: one row a feature that existed, the layer's columns, property values as of a time.
   *
   * @param time a `Date`, an instant (inclusive), or a calendar date, which includes the whole day in `timeZone`
   * @throws ArgumentError for a time that does not exist or a column that there is not
   */
  asOf(time: TimePoint, options: AsOfOptions = {}): ColumnTable {
    return asOf(this.#data, time, options);
  }

  /**
   * How each value at a time is known: `id`, `visible_id`, `column`, `value`, `state` (`logged`, `cleared`,
   * `unchanged`, `unknown`, `absent`), `change_id`, `changed_at`, `changed_at_us`, `user_id`, `system`.
   *
   * @throws ArgumentError for a time that does not exist
   */
  states(time: TimePoint, options: StatesOptions = {}): ColumnTable {
    return states(this.#data, time, options);
  }

  /** The log as a table with its findings, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const table = this.changes;
    const columns = table.columnNames().map((name) => ({ name, at: table.getter(name) }));
    const caption = `History of ${this.columns.length} properties, ${this.#data.input.features.rowCount} features, from ${originText(this.#data.input.origin, this.readAt)}`;
    return withFindings(renderTable({ rowCount: table.numRows(), columns, caption }), this.findings);
  }
}
