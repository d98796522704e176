import type { SnapshotFile } from "../manifest.js";
import { schemaOf } from "../table-schema.js";
import { type PullContext, pathOf } from "./pull-context.js";

/** Parts of a site that are put together once there are this many small ones. */
const MANY = 12;
const SMALL_ROWS = 16_384;

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
    await tables.create(schema);
    await tables.load(
      schema,
      parts.map((file) => pathOf(context, file)),
      "true",
    );
    const merged = await tables.write(schema, site);
    kept = [...kept.filter((file) => !parts.includes(file)), merged];
    await tables.create(schema);
  }
  return kept;
}
