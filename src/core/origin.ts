/** Where the records of a source come from. */
export interface Origin {
  /** The service, records in memory, or a snapshot. */
  readonly kind: "live" | "memory" | "snapshot";
  /** Base URL, path of the snapshot, or a name for records in memory. Never holds a key. */
  readonly name: string;
  /** Which state of the snapshot, from 1. */
  readonly generation?: number;
}
