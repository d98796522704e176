import type { Block } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import type { Origin } from "../../core/provenance.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { ChangeIndex } from "../index/change-index.js";
import type { ChangeLog } from "../log/change-log.js";
import type { PlainPoint } from "../time/valid-time.js";
import type { FeatureRows } from "./feature-rows.js";
import type { StandingRows } from "./standing-rows.js";

/** A column that a layer has besides those of its features. */
export interface AddedColumn {
  readonly values: Column;
  /** Of its numbers; undefined where nobody said it. */
  readonly unit: string | undefined;
}

/** Everything that the calls of a history compute from. */
export interface HistoryData {
  readonly features: FeatureRows;
  /** The property columns that this history is about, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  /** Their names. */
  readonly names: readonly string[];
  /** Column of each key of the log; `NONE` where it was not chosen. */
  readonly columnOfKey: Int32Array;
  /** Changes in every property, chosen or not. */
  readonly log: ChangeLog;
  /** How many of them there are in all, where `log` is what was known of them. */
  readonly changesInAll: number;
  /** Changes of `columns` by cell. */
  readonly index: ChangeIndex;
  /** The index of the whole log, where `log` is what was known of it. Says nothing but whether a cell was ever changed. */
  readonly fullIndex: ChangeIndex;
  /** The values that a column ever had by the log, each once, also later than is known. */
  readonly everLogged: (column: number) => readonly unknown[];
  /** The features that a column shows as their records are, by the whole log. */
  readonly standing: (column: number) => StandingRows;
  /**
   * Since when each feature exists, microseconds since 1970: its creation, or the first change of any property of it
   * if that was earlier. Infinity if the feature was not known yet.
   */
  readonly presentFromUs: Float64Array;
  /** When each feature was found to be gone; Infinity if it exists. Undefined if all exist. */
  readonly presentUntilUs: Float64Array | undefined;
  /** Since when all of them were there. */
  readonly allPresentUs: number;
  /** When the first was found to be gone. */
  readonly firstGoneUs: number;
  /** Those that the layer knows. */
  readonly blocks: readonly Block[];
  /** What is to be known of the layer, whatever its values are. */
  readonly layerFindings: readonly Finding[];
  /** Columns that `derive()` and `follow()` added, whatever the date. */
  readonly added: ReadonlyMap<string, AddedColumn>;
  /** Length (m) or area (m²) of a geometry; null where a value is none, or has no such extent. */
  readonly measure: (extent: "length" | "area", geometry: unknown) => number | null;
  /** Columns of answers of which the log knows nothing, and which they do not have. */
  readonly lacks: ReadonlySet<string>;
  /** Where the features and their changes come from. */
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, where that is before the reading: what has no end of its own ends there. */
  readonly knownUntil: PlainPoint | undefined;
}
