import type { ByKind } from "./feature-counts.js";

/** What all features are made from. */
export interface Setting {
  readonly seed: number;
  readonly counts: ByKind;
  readonly firstIds: ByKind;
}
