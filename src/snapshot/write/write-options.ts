import type { ResourceName } from "../../api/resources.js";
import type { Manifest, SnapshotOrigin } from "../format/manifest.js";
import type { BadRecord } from "./encode-record.js";

/** Rows of a resource that were read so far. */
export interface WriteProgress {
  readonly resource: ResourceName;
  readonly rows: number;
}

/** Options of `writeSnapshot()`. */
export interface WriteOptions {
  readonly origin?: SnapshotOrigin;
  /** The filters that limited what was read. */
  readonly scope?: Manifest["scope"];
  /** When the records were read; now if absent. */
  readonly readAt?: Date;
  readonly now?: () => Date;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Called for a record that cannot be stored, which is then left out. Without it such a record is an error. */
  readonly onBadRecord?: (bad: BadRecord) => void;
}
