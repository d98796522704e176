import { createHash } from "node:crypto";
import type { ResourceName } from "../api/resources.js";

/** One Parquet file of a snapshot. Files never change: a new content has a new name. */
export interface SnapshotFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  readonly resource: ResourceName;
  /** The site of the file's rows; null for rows without one; absent in tables that are not kept by site. */
  readonly site_id?: number | null;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where the records came from. Never holds a key. */
export interface SnapshotOrigin {
  readonly kind: "live" | "memory" | "import" | "sample";
  /** Base URL, folder, or a name. */
  readonly name: string;
}

/** What a snapshot holds: the content of `manifest.json`. */
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
  readonly files: readonly SnapshotFile[];
  /** The last id of a resource, from where a later pull goes on. */
  readonly watermarks: Readonly<Partial<Record<ResourceName, string>>>;
}

export const MANIFEST_FORMAT = "siteframe-snapshot";
export const MANIFEST_VERSION = 1;
export const MANIFEST_NAME = "manifest.json";

/** A short text that changes when the records do. */
export function contentVersion(manifest: Manifest): string {
  const hashes = manifest.files.map(({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return createHash("sha256").update(hashes.join("")).digest("hex").slice(0, 16);
}
