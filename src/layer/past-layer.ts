import type { FeatureColumns } from "../tables/read/feature-columns.js";
import type { BuiltLayer } from "./build-layer.js";

/** What is known of a layer as it was at a time. */
export interface PastLayer extends BuiltLayer {
  /** The records of its features, as they were read. */
  readonly features: FeatureColumns;
  /** The time, for its provenance. */
  readonly asOf: string;
}
