import type { LayerInput } from "../../layer/layer-data.js";

/** A layer with the features that were read before and no longer come. */
export interface InputWithGone {
  /** The features in ascending order of id. */
  readonly input: LayerInput;
  /** Which of them are gone; undefined if none is. */
  readonly gone: GoneRows | undefined;
}

/** Which features of a history are gone. */
export interface GoneRows {
  /** When each feature was found to be gone, microseconds since 1970; Infinity if it exists. */
  readonly us: Float64Array;
  /** Row of each feature in the layer; negative if it is gone. */
  readonly layerRows: Int32Array;
}
