import { createHash } from "node:crypto";
import { isPseudonymKeyId } from "../../client/page/pseudonym.js";
import { SnapshotError } from "../../core/errors.js";
import { nestsDeeper } from "../../core/json.js";
import {
  GONE_FEATURES,
  MANIFEST_FORMAT,
  MANIFEST_NAME,
  MANIFEST_VERSION,
  type Manifest,
  type SnapshotFile,
  type StoredFile,
} from "./manifest.js";
import { columnsFolder, isPartPath, tableFolder } from "./snapshot-paths.js";
import { tableSchemas } from "./table-schema.js";

/** Returns the content of `manifest.json`: the manifest and, last, the sha256 of its JSON text without that member. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: sha256(manifest) }, null, 2)}\n`;
}

/**
 * Parses the content of a `manifest.json`.
 *
 * @param path of the file, for messages
 * @throws SnapshotError if it is foreign, of an unknown version, or altered
 */
export function parseManifest(text: string, path: string): Manifest {
  const content = parseObject(text, path);
  if (content["format"] !== MANIFEST_FORMAT) {
    throw refuse(path, "is not the manifest of a Siteframe snapshot.", "Use a folder that Siteframe wrote.");
  }
  const version = content["version"];
  if (isCount(version) && version !== MANIFEST_VERSION) {
    throw refuse(
      path,
      `has format version ${version}, but this Siteframe reads version ${MANIFEST_VERSION}.`,
      version < MANIFEST_VERSION
        ? "Pull into a new folder: siteframe pull new.snapshot. If the snapshot was imported, import it into a new folder."
        : "Update Siteframe.",
    );
  }
  const { sha256: expected, ...manifest } = content;
  if (version !== MANIFEST_VERSION || expected !== sha256(manifest) || !isManifest(manifest)) {
    throw refuse(path, "was altered after it was written.", "Restore the snapshot from a backup, or write it again.");
  }
  return manifest;
}

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = nestsDeeper(text) ? undefined : JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Rejected below, like other text that is not a manifest.
  }
  throw refuse(path, `is not a JSON object: ${MANIFEST_NAME} is damaged or foreign.`, "Restore it from a backup.");
}

/**
 * Checks every member. The hash only proves that Siteframe wrote the manifest if the sender is trusted, since anyone
 * can compute it. Paths and numbers become parts of statements and of file operations, so each must be valid.
 */
function isManifest(value: object): value is Manifest {
  const { files, gone_files = [], generation, read_at, written_at, ...rest } = value as Partial<Manifest>;
  if (!Array.isArray(files) || !files.every((file) => isFile(file) && isComplete(file))) return false;
  if (!Array.isArray(gone_files) || !gone_files.every((file) => isFile(file, GONE_FEATURES))) return false;
  if (!isCount(generation) || generation < 1 || !isTime(read_at) || !isTime(written_at)) return false;
  const { origin, scope, watermarks, found = {}, read_times = {}, pseudonyms, rewriting = true } = rest;
  if (rewriting !== true || (pseudonyms !== undefined && !isPseudonymKeyId(pseudonyms))) return false;
  const values = [origin, scope, watermarks, found, read_times];
  if (!values.every(isObject) || typeof origin?.name !== "string" || typeof origin.kind !== "string") return false;
  const isScope = Object.values(scope ?? {}).every((list) => Array.isArray(list) && list.every(isFilterValue));
  const isFound = Object.values(found).every(isCount);
  const isMarked = Object.values(watermarks ?? {}).every((id) => typeof id === "string");
  const isRead = Object.values(read_times).every((times) => isObject(times) && isTime(times.from) && isTime(times.to));
  return isScope && isFound && isMarked && isRead;
}

/** Whether a file has all members of files in `files`, which a part of a log lacks until a pull joins it. */
function isComplete({ resource, columns, feature_ids }: SnapshotFile): boolean {
  return columns !== undefined && (resource !== "propertyChanges" || feature_ids !== undefined);
}

/**
 * Whether a value is a file of a generation in the form of a manifest.
 *
 * @param name of the file's table. Default: the table of its resource
 */
export function isFile(value: unknown, name?: string): value is SnapshotFile {
  if (!isObject(value)) return false;
  const { resource, columns, rows, site_id, feature_ids = [], semantic_types = [] } = value as Partial<SnapshotFile>;
  const schema = tableSchemas.find((each) => each.resource === resource);
  if (!schema || !isCount(rows)) return false;
  if (site_id !== undefined && site_id !== null && !Number.isSafeInteger(site_id)) return false;
  if (!Array.isArray(feature_ids)) return false;
  if (!feature_ids.every((id) => Number.isSafeInteger(id)) || feature_ids.length % 2 > 0) return false;
  const table = name ?? schema.name;
  if (!Array.isArray(semantic_types) || !semantic_types.every((type) => typeof type === "string")) return false;
  return isStored(value, tableFolder(table)) && (columns === undefined || isStored(columns, columnsFolder(table)));
}

function isStored(value: unknown, folder: string): value is StoredFile {
  if (!isObject(value)) return false;
  const { path, bytes, sha256: hash } = value as Partial<StoredFile>;
  return isPartPath(path, folder) && isCount(bytes) && typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isFilterValue(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function sha256(manifest: object): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

function refuse(path: string, problem: string, hint: string): SnapshotError {
  return new SnapshotError(`${path} ${problem}`, { hint, facts: { path } });
}
