import { createHash } from "node:crypto";
import type { ResourceName } from "../../api/resources.js";
import { firstIndex } from "../../core/first-index.js";

/** A file of a snapshot as it lies on the disk. */
export interface StoredFile {
  /** Path below the snapshot's folder, with `/`. The file stays there, unchanged, until no generation lists it. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** One Parquet file of a snapshot. Files never change: a new content has a new name. */
export interface SnapshotFile extends StoredFile {
  readonly resource: ResourceName;
  /** The site of the file's rows; null for rows without one; absent in tables that are not kept by site. */
  readonly site_id?: number | null;
  readonly rows: number;
  /**
   * Ranges in which all features lie whose changes the file holds: first, last, first, last, ascending. Who looks for others
   * need not open it. Present in files of changes.
   */
  readonly feature_ids?: readonly number[];
  /** The semantic types of the file's features, unless there are many. */
  readonly semantic_types?: readonly string[];
  /**
   * The same records by column, from which layers and histories are read. Absent in files of `gone_features`, and in files of
   * changes until a pull joins them.
   */
  readonly columns?: StoredFile;
}

/** Where the records came from. Never holds a key. */
export interface SnapshotOrigin {
  readonly kind: "live" | "memory" | "snapshot" | "import" | "sample";
  /** Base URL, folder, or a name. */
  readonly name: string;
}

/** When the reading of a resource began and ended, ISO 8601. */
export type ReadTimes = Readonly<Partial<Record<ResourceName, { readonly from: string; readonly to: string }>>>;

/** What changed between two states. */
export interface FoundCounts {
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  readonly returned: number;
  /** New rows of the log. */
  readonly property_changes: number;
}

/**
 * What a snapshot holds: the content of `manifest.json`, which is the only pointer to its files. It is replaced in one step, so
 * a reader that begins with it sees one generation.
 */
export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  readonly version: typeof MANIFEST_VERSION;
  /** Counts the states of this folder, from 1. */
  readonly generation: number;
  readonly origin: SnapshotOrigin;
  /** The filters that limited what was read; empty for everything. */
  readonly scope: Readonly<Record<string, readonly (string | number | null)[]>>;
  /** When this state was written, ISO 8601. */
  readonly written_at: string;
  /** When its records were read, ISO 8601: the age of the data. */
  readonly read_at: string;
  /** When the records of each resource were read. */
  readonly read_times?: ReadTimes;
  readonly files: readonly SnapshotFile[];
  /** Features that no longer come, as they were last; `gone_at` says when that was found. */
  readonly gone_files?: readonly SnapshotFile[];
  /** What the pull that wrote this state found. */
  readonly found?: FoundCounts;
  /** Set while the log has edits whose features look untouched: then the next pull asks for every feature's log. */
  readonly edits_touch_features?: false;
  /** The key of the pseudonyms that replace person data, as `pseudonymKeyId()` states it; absent if nothing was replaced. */
  readonly pseudonyms?: string;
  /**
   * Set while the folder is rewritten: files and generations may remain that have person data although this one has
   * pseudonyms, or the other way round.
   */
  readonly rewriting?: true;
  /** The last id of a resource, from where a later pull goes on. */
  readonly watermarks: Readonly<Partial<Record<ResourceName, string>>>;
}

export const MANIFEST_FORMAT = "siteframe-snapshot";
/** The only version that is read. 5 since files are never moved. */
export const MANIFEST_VERSION = 5;
export const MANIFEST_NAME = "manifest.json";

/** Folder of the files of all generations: a folder for each table, and one for the column files. */
export const FILES = "files";

/** Folder, in that one, of the column files, which only Siteframe reads. */
export const COLUMNS = "columns";

/** Folder of the manifests of earlier generations, and of pinned tables. */
export const GENERATIONS = "generations";

/** Folder of a pull that has not ended: its journal and the files that it has written. */
export const PULL_FOLDER = ".pull";

/** The catalog by which a snapshot is a DuckLake. */
export const LAKE_NAME = "lake.ducklake";

/** Folder and SQL table of the features that no longer come. */
export const GONE_FEATURES = "gone_features";

/** Every file of a state: those of its tables, their column files, and the features that are gone. */
export function storedFiles({ files, gone_files = [] }: Pick<Manifest, "files" | "gone_files">): readonly StoredFile[] {
  return [...files, ...gone_files].flatMap((file) => (file.columns ? [file, file.columns] : [file]));
}

/** The column file of a file of `files`. */
export function columnFile({ path, columns }: SnapshotFile): StoredFile {
  if (!columns) throw new TypeError(`${path} has no column file`);
  return columns;
}

/** A short text that changes when the records do. */
export function contentVersion(manifest: Manifest): string {
  const hashes = manifest.files.map(({ resource, site_id, sha256 }) => `${resource} ${site_id} ${sha256}\n`).sort();
  return createHash("sha256").update(hashes.join("")).digest("hex").slice(0, 16);
}

/** Rows by resource. */
export type RowCounts = Readonly<Partial<Record<ResourceName, number>>>;

/** The rows of each resource of a snapshot. */
export function rowCounts({ files }: Manifest): RowCounts {
  const counts: Partial<Record<ResourceName, number>> = {};
  for (const { resource, rows } of files) counts[resource] = (counts[resource] ?? 0) + rows;
  return counts;
}

/** Whether features may have changes in a part of the log. */
export function mayHaveChanges({ path, feature_ids }: SnapshotFile, ids: readonly unknown[]): boolean {
  if (!feature_ids) throw new TypeError(`${path} has no feature_ids`);
  // Even places are where ranges begin: behind so many bounds, an id lies in one if their number is odd.
  return ids.some((id) => {
    const bounds = firstIndex(feature_ids.length, (place) => (feature_ids[place] as number) < Number(id));
    return bounds % 2 === 1 || feature_ids[bounds] === Number(id);
  });
}
