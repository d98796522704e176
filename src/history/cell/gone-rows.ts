import type { LayerInput } from "../../layer/layer-data.js";

/** A layer that includes the features that were read before but were later deleted. */
export interface InputWithGone {
  /** The features in ascending order of id. */
  readonly input: LayerInput;
  /** Which of them are deleted; undefined if none. */
  readonly gone: GoneRows | undefined;
}

/** The deleted features of a history. */
export interface GoneRows {
  /** When each feature was found to be deleted, in microseconds since 1970; Infinity if it exists. */
  readonly us: Float64Array;
  /** Row of each feature in the layer; negative if it is deleted. */
  readonly layerRows: Int32Array;
}
