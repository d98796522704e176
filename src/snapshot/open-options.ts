/** Options of `openSnapshot()`. */
export interface OpenSnapshotOptions {
  /** The state to open; the present one if absent. */
  readonly generation?: number;
}
