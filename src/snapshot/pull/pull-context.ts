import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ResourceName } from "../../api/resources.js";
import type { Manifest, SnapshotFile } from "../format/manifest.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Journal } from "./journal.js";
import type { PullEstimate, PullRemainder } from "./pull-estimate.js";
import type { RecordFeed } from "./record-feed.js";
import { parquet, type WorkTables } from "./work-tables.js";

/** Progress of a pull. */
export interface PullProgress {
  /** Current stage: `layer_features of site 12`, `property_changes`. */
  readonly stage: string;
  /** Rows of this stage so far. */
  readonly rows: number;
  /** Expected rows; undefined if only the requests are known. */
  readonly total: number | undefined;
  /** Remaining milliseconds of the stage at the current speed; undefined at the start. */
  readonly remainingMs: number | undefined;
  /** Rest of the whole pull; undefined until the features are counted. */
  readonly toGo: PullRemainder | undefined;
}

/** State shared by the steps of a pull. */
export interface PullContext {
  readonly root: string;
  readonly feed: RecordFeed;
  readonly journal: Journal;
  readonly tables: WorkTables;
  /** The previous generation; without the files with person data if the folder is rewritten. */
  readonly previous: Manifest | undefined;
  /** Whether the new generation replaces the whole content of the folder. */
  readonly rewrite: boolean;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
  readonly now: () => Date;
  readonly estimate: PullEstimate;
  readonly report: (progress: Omit<PullProgress, "toGo">) => void;
}

/** The files of a resource in the previous generation. */
export function previousFiles({ previous }: PullContext, resource: ResourceName): readonly SnapshotFile[] {
  return (previous?.files ?? []).filter((file) => file.resource === resource);
}

/** Files of the previous generation as an SQL table. */
export function previousTable({ root }: PullContext, schema: TableSchema, files: readonly SnapshotFile[]): string {
  const paths = files.map(({ path }) => join(root, path));
  return parquet(schema, paths);
}

/** Files of the new generation as an SQL table. */
export function writtenTable(context: PullContext, schema: TableSchema, files: readonly SnapshotFile[]): string {
  const paths = files.map((file) => pathOf(context, file));
  return parquet(schema, paths);
}

/**
 * Path of a file of the new generation: written by this pull, or already in place from the previous generation or from
 * a pull that was stopped while it published. A file's name identifies its content.
 */
export function pathOf({ root, journal }: PullContext, file: SnapshotFile): string {
  const written = join(journal.folder, file.path);
  return existsSync(written) ? written : join(root, file.path);
}
