import { createHash } from "node:crypto";
import { isPresentFormat, type SnapshotFile } from "../format/manifest.js";
import { partsBySite, rowsOf } from "../write/join-log.js";
import { FULL_BYTES, joinParts, SMALL_BYTES } from "../write/join-parts.js";
import { type PullContext, pathOf } from "./pull-context.js";

/** Parts of a site that are joined once there are this many small ones. */
const MANY = 12;

/**
 * Joins small parts of the log to full files: those of a first pull at once, those of later ones when they are many or
 * fill a file, so that a year of nightly pulls does not leave a file a night and site.
 */
export async function compactLog(
  context: PullContext,
  files: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const { previous, journal, tables, now, signal } = context;
  const isAnew = !previous || !isPresentFormat(previous);
  const kept: SnapshotFile[] = [];
  for (const [site, parts] of partsBySite(files)) {
    signal?.throwIfAborted();
    const small = parts.filter(({ bytes }) => bytes < SMALL_BYTES);
    const bytes = small.reduce((sum, part) => sum + part.bytes, 0);
    if (small.length < 2 || !(isAnew || small.length >= MANY || bytes >= FULL_BYTES)) {
      kept.push(...parts);
      continue;
    }
    const step = `join/${site}/${nameOf(small)}`;
    const joined = await journal.step(step, async () => {
      const from = now().toISOString();
      const placed = small.map((file) => ({ file, path: pathOf(context, file) }));
      const written = await joinParts(tables.connection, tables.folder, placed, rowsOf(parts));
      return { step, from, to: now().toISOString(), files: written };
    });
    kept.push(...parts.filter((part) => !small.includes(part)), ...joined.files);
  }
  return kept;
}

/** What a join of these parts is called: one that was stopped is only taken for one of the same parts. */
function nameOf(parts: readonly SnapshotFile[]): string {
  const paths = JSON.stringify(parts.map(({ path }) => path));
  return createHash("sha256").update(paths).digest("hex").slice(0, 16);
}
