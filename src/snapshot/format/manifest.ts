import { createHash } from "node:crypto";
import type { ResourceName } from "../../api/resources.js";
import { type Pseudonym, personsOf, pseudonymizer, pseudonymKeyId } from "../../client/page/pseudonym.js";
import { binarySearch } from "../../core/binary-search.js";

/** A file of a snapshot on the disk. */
export interface StoredFile {
  /** Path below the snapshot folder, with `/`. The file stays there unchanged until it is in no generation. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A Parquet file of a snapshot. Files never change: new content has a new name. */
export interface SnapshotFile extends StoredFile {
  readonly resource: ResourceName;
  /** Site of the rows; null for rows without a site; absent in tables that are not stored by site. */
  readonly site_id?: number | null;
  readonly rows: number;
  /**
   * Ranges with all features whose changes the file has: first, last, first, last, ascending. Readers of other features
   * need not open it. Present in files of changes.
   */
  readonly feature_ids?: readonly number[];
  /** Semantic types of the file's features, unless there are many. */
  readonly semantic_types?: readonly string[];
  /**
   * The same records by column, for layers and histories. Absent in files of `gone_features`, and in files of changes
   * until a pull joins them.
   */
  readonly columns?: StoredFile;
}

/** Origin of the records. Never contains a key. */
export interface SnapshotOrigin {
  readonly kind: "live" | "memory" | "snapshot" | "import" | "sample";
  /** Base URL, folder, or a name. */
  readonly name: string;
}

/** Start and end of reading each resource, ISO 8601. */
export type ReadTimes = Readonly<Partial<Record<ResourceName, { readonly from: string; readonly to: string }>>>;

/** Changes between two generations. */
export interface FoundCounts {
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  readonly returned: number;
  /** New rows of the log. */
  readonly property_changes: number;
}

/**
 * Content of a snapshot: the content of `manifest.json`, which is the only pointer to its files. It is replaced in one
 * step, so a reader that begins with it sees one generation.
 */
export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  readonly version: typeof MANIFEST_VERSION;
  /** Number of the generation in this folder, from 1. */
  readonly generation: number;
  readonly origin: SnapshotOrigin;
  /** Filters that limited the read; empty for everything. */
  readonly scope: Readonly<Record<string, readonly (string | number | null)[]>>;
  /** When this generation was written, ISO 8601. */
  readonly written_at: string;
  /** When its records were read, ISO 8601: the age of the data. */
  readonly read_at: string;
  /** When the records of each resource were read. */
  readonly read_times?: ReadTimes;
  readonly files: readonly SnapshotFile[];
  /**
   * Features that are no longer returned, with their last values; `gone_at` is the time of the read that first missed
   * them.
   */
  readonly gone_files?: readonly SnapshotFile[];
  /** Changes found by the pull that wrote this generation. */
  readonly found?: FoundCounts;
  /**
   * Set while the log has edits that did not change the feature's time: then the next pull reads every feature's log.
   */
  readonly edits_touch_features?: false;
  /** Key id of the pseudonyms that replace person data, from `pseudonymKeyId()`; absent if nothing was replaced. */
  readonly pseudonyms?: string;
  /**
   * Set while the folder is rewritten: it may still have files and generations with person data although this
   * generation has pseudonyms, or vice versa.
   */
  readonly rewriting?: true;
  /** Last id of a resource, from which a later pull continues. */
  readonly watermarks: Readonly<Partial<Record<ResourceName, string>>>;
}

export const MANIFEST_FORMAT = "siteframe-snapshot";
/** The only readable version. Since 5, files are never moved. */
export const MANIFEST_VERSION = 5;
export const MANIFEST_NAME = "manifest.json";

/** Folder of the files of all generations: a folder for each table, and one for the column files. */
export const FILES = "files";

/** Folder within `files` for the column files, which only Siteframe reads. */
export const COLUMNS = "columns";

/** Folder of the manifests of earlier generations, and of pinned tables. */
export const GENERATIONS = "generations";

/** Folder of an unfinished pull: its journal and its files. */
export const PULL_FOLDER = ".pull";

/** The DuckLake catalog of a snapshot. */
export const LAKE_NAME = "lake.ducklake";

/** Folder and SQL table of features that are no longer returned. */
export const GONE_FEATURES = "gone_features";

/** Every file of a generation: tables, column files, and gone features. */
export function storedFiles({ files, gone_files = [] }: Pick<Manifest, "files" | "gone_files">): readonly StoredFile[] {
  return [...files, ...gone_files].flatMap((file) => (file.columns ? [file, file.columns] : [file]));
}

/** The column file of a file of `files`. */
export function columnFile({ path, columns }: SnapshotFile): StoredFile {
  if (!columns) throw new TypeError(`${path} has no column file`);
  return columns;
}

/** A short string that changes with the records. */
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
  // Ranges begin at even indexes, so an id is in a range if the count of bounds up to it is odd.
  return ids.some((id) => {
    const bounds = binarySearch(feature_ids.length, (index) => (feature_ids[index] as number) < Number(id));
    return bounds % 2 === 1 || feature_ids[bounds] === Number(id);
  });
}

type Redaction = Pick<Manifest, "origin" | "pseudonyms">;

/** Pseudonyms of a generation, those of the service it was pulled from. Stored pseudonyms stay unchanged. */
export function snapshotPseudonym({ origin, pseudonyms }: Redaction): Pseudonym {
  return pseudonyms === undefined ? pseudonymizer(personsOf(origin)) : (value) => value;
}

/** Key id of these pseudonyms. */
export function snapshotKeyId({ origin, pseudonyms }: Redaction): string {
  return pseudonyms ?? pseudonymKeyId(personsOf(origin));
}
