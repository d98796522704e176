import type { FeatureColumns } from "../tables/read/feature-columns.js";
import type { BuiltLayer } from "./build-layer.js";

/** Data of a layer as of a time. */
export interface PastLayer extends BuiltLayer {
  /** The records of the features, as read. */
  readonly features: FeatureColumns;
  /** The time, for its provenance. */
  readonly asOf: string;
}
