import { createHash } from "node:crypto";
import { SnapshotError } from "../../core/errors.js";
import { nestsDeeper } from "../../core/json/nests-deeper.js";
import { showValue } from "../../core/show-value.js";
import {
  COLUMNS,
  GONE_FEATURES,
  MANIFEST_FORMAT,
  MANIFEST_NAME,
  MANIFEST_VERSION,
  MANIFEST_VERSIONS,
  type Manifest,
  type SnapshotFile,
  type StoredFile,
} from "./manifest.js";
import { tableSchemas } from "./table-schema.js";

/** The content of `manifest.json`: the manifest and, last, the sha256 of its JSON text without that member. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: sha256(manifest) }, null, 2)}\n`;
}

/**
 * Reads the content of a `manifest.json`.
 *
 * @param path of the file, for messages
 * @throws SnapshotError if it is foreign, of an unknown version or altered
 */
export function parseManifest(text: string, path: string): Manifest {
  const content = parseObject(text, path);
  if (content["format"] !== MANIFEST_FORMAT) {
    throw refuse(path, "is not the manifest of a Siteframe snapshot.", "Give the folder that Siteframe wrote.");
  }
  if (!MANIFEST_VERSIONS.some((version) => version === content["version"])) {
    const version = showValue(content["version"]);
    throw refuse(
      path,
      `has format version ${version}, and this Siteframe reads ${MANIFEST_VERSIONS[0]} to ${MANIFEST_VERSION}.`,
      "Update Siteframe.",
    );
  }
  const { sha256: expected, ...manifest } = content;
  if (expected !== sha256(manifest) || !isManifest(manifest)) {
    throw refuse(path, "was altered after it was written.", "Restore the snapshot from a copy, or write it again.");
  }
  return manifest;
}

/** A manifest has lists of objects within lists of objects, three of each at most. */
const DEEPEST = 16;

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = nestsDeeper(text, DEEPEST) ? undefined : JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below, like any other text that is no manifest.
  }
  throw refuse(path, `is no JSON object: ${MANIFEST_NAME} is damaged or foreign.`, "Restore it from a copy.");
}

/** The hash has vouched for the details; what is left is a manifest that was signed by something else. */
function isManifest(value: object): value is Manifest {
  const { files, gone_files = [], generation = 0, read_at = "", ...rest } = value as Partial<Manifest>;
  if (!Array.isArray(files) || !files.every(isFile)) return false;
  if (!Array.isArray(gone_files) || !gone_files.every((file) => isStored(file, GONE_FEATURES))) return false;
  const isNumbered = Number.isSafeInteger(generation) && generation >= 1;
  return isNumbered && !Number.isNaN(Date.parse(read_at)) && [rest.origin, rest.scope, rest.watermarks].every(isObject);
}

function isFile(value: unknown): value is SnapshotFile {
  const { resource, columns } = (isObject(value) ? value : {}) as Partial<SnapshotFile>;
  const schema = tableSchemas.find((each) => each.resource === resource);
  return schema !== undefined && isStored(value, schema.name) && (columns === undefined || isStored(columns, COLUMNS));
}

function isStored(value: unknown, folder: string): value is StoredFile {
  if (!isObject(value)) return false;
  const { path, bytes, sha256: hash } = value as Partial<StoredFile>;
  return typeof path === "string" && isBelow(path, folder) && typeof bytes === "number" && typeof hash === "string";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`) && !path.split("/").includes("..");
}

function sha256(manifest: object): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

function refuse(path: string, problem: string, hint: string): SnapshotError {
  return new SnapshotError(`${path} ${problem}`, { hint, facts: { path } });
}
