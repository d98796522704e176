import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import { type PullContext, pathOf } from "./pull-context.js";

/** Parts of a site that are put together once there are this many small ones. */
const MANY = 12;
const SMALL_ROWS = 16_384;
/** Parts that are put together have so many rows or (compressed) bytes, about: they are sorted in memory. */
const MERGED_ROWS = 32_768;
const MERGED_BYTES = 2 ** 20;

const schema = schemaOf("propertyChanges");

/** Puts small parts of the log together, so that a year of nightly pulls does not leave a file a night and site. */
export async function compactLog(
  context: PullContext,
  files: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const { tables } = context;
  const small = new Map<number | null, SnapshotFile[]>();
  for (const file of files) {
    if (file.rows >= SMALL_ROWS) continue;
    const site = file.site_id ?? null;
    small.set(site, [...(small.get(site) ?? []), file]);
  }
  let kept = [...files];
  for (const [site, parts] of small) {
    if (parts.length < MANY) continue;
    for (const batch of batches(parts)) {
      await tables.create(schema);
      await tables.load(
        schema,
        batch.map((file) => pathOf(context, file)),
        "true",
      );
      const merged = await tables.write(schema, site);
      const gone = new Set(batch);
      kept = [...kept.filter((file) => !gone.has(file)), merged];
    }
    await tables.create(schema);
  }
  return kept;
}

/** Parts in batches of two and more; a single one left over stays as it is. */
function batches(parts: readonly SnapshotFile[]): readonly (readonly SnapshotFile[])[] {
  const found: SnapshotFile[][] = [];
  let [rows, bytes] = [MERGED_ROWS, 0];
  for (const part of parts) {
    if (rows >= MERGED_ROWS || bytes >= MERGED_BYTES) {
      found.push([]);
      [rows, bytes] = [0, 0];
    }
    found.at(-1)?.push(part);
    rows += part.rows;
    bytes += part.bytes;
  }
  return found.filter((batch) => batch.length > 1);
}
