import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ResourceName } from "../../api/resources.js";
import type { Manifest, SnapshotFile } from "../format/manifest.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Journal } from "./journal.js";
import type { PullEstimate, PullRemainder } from "./pull-estimate.js";
import type { RecordFeed } from "./record-feed.js";
import { parquet, type WorkTables } from "./work-tables.js";

/** How far a pull has come. */
export interface PullProgress {
  /** What is being read: `layer_features of site 12`, `property_changes`. */
  readonly stage: string;
  /** Rows of this stage so far. */
  readonly rows: number;
  /** Rows to expect; undefined where only the requests are known. */
  readonly total: number | undefined;
  /** Milliseconds that the stage will take at this speed; undefined until something is done. */
  readonly remainingMs: number | undefined;
  /** What is left of the whole pull; undefined until the features were counted. */
  readonly toGo: PullRemainder | undefined;
}

/** What the steps of one pull share. */
export interface PullContext {
  readonly root: string;
  readonly feed: RecordFeed;
  readonly journal: Journal;
  readonly tables: WorkTables;
  /** The generation that the pull began from; without the files that have person data if the folder is rewritten. */
  readonly previous: Manifest | undefined;
  /** Whether the new state replaces everything that the folder holds. */
  readonly rewrite: boolean;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
  readonly now: () => Date;
  readonly estimate: PullEstimate;
  readonly report: (progress: Omit<PullProgress, "toGo">) => void;
}

/** The files of a resource in the state that the pull began from. */
export function previousFiles({ previous }: PullContext, resource: ResourceName): readonly SnapshotFile[] {
  return (previous?.files ?? []).filter((file) => file.resource === resource);
}

/** Files of that state as an SQL table. */
export function previousTable({ root }: PullContext, schema: TableSchema, files: readonly SnapshotFile[]): string {
  const paths = files.map(({ path }) => join(root, path));
  return parquet(schema, paths);
}

/** Files of the state that is being written as an SQL table. */
export function writtenTable(context: PullContext, schema: TableSchema, files: readonly SnapshotFile[]): string {
  const paths = files.map((file) => pathOf(context, file));
  return parquet(schema, paths);
}

/**
 * Path of a file of the state that is being written: one that the pull wrote, or one that stands in its place, of the
 * state before or put there by a pull that was stopped while it published. A file's name says what it holds.
 */
export function pathOf({ root, journal }: PullContext, file: SnapshotFile): string {
  const written = join(journal.folder, file.path);
  return existsSync(written) ? written : join(root, file.path);
}
