import type { Block } from "../../api/resources.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { Origin } from "../../core/provenance.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { ChangeIndex } from "../index/change-index.js";
import type { ChangeLog } from "../log/change-log.js";
import type { PlainPoint } from "../time/valid-time.js";
import type { FeatureRows } from "./feature-rows.js";
import type { StandingRows } from "./standing-rows.js";

/** A column that was added to a layer. */
export interface AddedColumn {
  readonly values: Column;
  /** Unit of its numbers; undefined if unknown. */
  readonly unit: string | undefined;
}

/** The data that the methods of a history compute from. */
export interface HistoryData {
  readonly features: FeatureRows;
  /** The property columns of this history, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  /** Their names. */
  readonly names: readonly string[];
  /** Column of each key of the log; `NONE` if it was not chosen. */
  readonly columnOfKey: Int32Array;
  /** Changes of all properties, chosen or not. */
  readonly log: ChangeLog;
  /** Number of changes of the whole log, of which `log` may be the known part. */
  readonly changesInAll: number;
  /** Changes of `columns` by cell. */
  readonly index: ChangeIndex;
  /** Index of the whole log, if `log` is its known part. Only used to find out whether a cell was ever changed. */
  readonly fullIndex: ChangeIndex;
  /** The distinct values that a column ever had by the whole log. */
  readonly everLogged: (column: number) => readonly unknown[];
  /** The features whose cells in a column show their records, by the whole log. */
  readonly standing: (column: number) => StandingRows;
  /**
   * From when each feature exists, in microseconds since 1970: its creation, or the first change of any of its
   * properties if that was earlier. Infinity if the feature was not known yet.
   */
  readonly presentFromUs: Float64Array;
  /** When each feature was found to be deleted; Infinity if it exists. Undefined if all exist. */
  readonly presentUntilUs: Float64Array | undefined;
  /** From when all of them exist. */
  readonly allPresentUs: number;
  /** When the first one was found to be deleted. */
  readonly firstGoneUs: number;
  /** The blocks of the layer. */
  readonly blocks: readonly Block[];
  /** Diagnostics about the layer that do not depend on its values. */
  readonly layerDiagnostics: readonly Diagnostic[];
  /** Columns added with `derive()` and `lookup()`, the same on every date. */
  readonly added: ReadonlyMap<string, AddedColumn>;
  /** Length (m) or area (m²) of a geometry; null for an invalid geometry, or without such an extent. */
  readonly measure: (extent: "length" | "area", geometry: unknown) => number | null;
  /** Columns that answers omit, because the log has no data for them. */
  readonly lacks: ReadonlySet<string>;
  /** Origin of the features and their changes. */
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, if it is before the reading. It is the default end of answers. */
  readonly knownUntil: PlainPoint | undefined;
}
