import type { LayerInput } from "../layer/layer-data.js";
import type { PropertyColumn } from "../layer/property-columns.js";
import type { ChangeIndex } from "./change-index.js";
import type { ChangeLog } from "./change-log.js";

/** Everything that the calls of a history compute from. */
export interface HistoryData {
  readonly input: LayerInput;
  /** The property columns that this history is about, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  readonly log: ChangeLog;
  /** Changes by cell, of `columns` only. */
  readonly index: ChangeIndex;
  /** Creation of each feature, microseconds since 1970. */
  readonly createdUs: Float64Array;
  /** First change of each feature in any property, chosen or not; Infinity if there is none. */
  readonly firstChangeUs: Float64Array;
  readonly timeZone: string;
}
