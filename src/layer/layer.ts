import type { ColumnTable } from "arquero";
import type { Origin } from "../client/reader.js";
import type { Finding } from "../core/finding.js";
import { displaySymbol } from "../display/display-symbol.js";
import type { MimeBundle } from "../display/mime-bundle.js";
import { originText } from "../display/origin-text.js";
import { withFindings } from "../display/render-findings.js";
import { renderTable } from "../display/render-table.js";
import type { History } from "../history/history.js";
import type { HistoryOptions } from "../history/history-options.js";
import { type BuiltLayer, buildLayer } from "./build-layer.js";
import type { ColumnSchema, LayerInput } from "./layer-data.js";

/** Reads the history of a layer's features. Given by the source that read the layer. */
export type OpenHistory = (layer: Layer, options: HistoryOptions) => Promise<History>;

/**
 * The layer features that one query matched, as a dataframe with readable columns.
 *
 * `table` has one row a feature in order of `id`; its columns are `id`, `visible_id`, the properties in display
 * order, then the other fields of the record. `schema` says of each column which property keys it holds.
 */
export class Layer {
  /** The features as an Arquero table. */
  readonly table: ColumnTable;
  /** One entry a column, in the table's order. */
  readonly schema: readonly ColumnSchema[];
  /** What a user should know: merged columns, unresolved keys, values that contradict their definition. */
  readonly findings: readonly Finding[];
  /** Where the features come from. */
  readonly origin: Origin;
  /** When they were read. */
  readonly readAt: Date;
  /** @internal */
  readonly input: LayerInput;
  readonly #openHistory: OpenHistory;

  /** @internal */
  constructor(input: LayerInput, openHistory: OpenHistory, built: BuiltLayer = buildLayer(input)) {
    this.table = built.table;
    this.schema = built.schema;
    this.findings = built.findings;
    this.origin = input.origin;
    this.readAt = new Date(input.readAt);
    this.input = input;
    this.#openHistory = openHistory;
  }

  /** Number of features. */
  get rowCount(): number {
    return this.input.features.rowCount;
  }

  /**
   * Reads the property changes of these features.
   *
   * @param options `columns` limits the history to these properties (default: every property)
   * @throws ArgumentError for a column that the layer does not have or an unknown time zone
   */
  history(options: HistoryOptions = {}): Promise<History> {
    return this.#openHistory(this, options);
  }

  /** The layer as a table with its findings, for Jupyter. */
  [displaySymbol](): MimeBundle {
    const columns = this.schema.map(({ column, type }) => ({ name: column, type, at: this.table.getter(column) }));
    const caption = `Layer from ${originText(this.origin, this.readAt)}`;
    return withFindings(renderTable({ rowCount: this.rowCount, columns, caption }), this.findings);
  }
}
