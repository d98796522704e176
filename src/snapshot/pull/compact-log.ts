import { createHash } from "node:crypto";
import type { SnapshotFile } from "../format/manifest.js";
import { FULL_BYTES, type JoinProgress, joinParts, partsBySite, rowsOf, SMALL_BYTES } from "../write/join-parts.js";
import { measureParts, withColumns } from "../write/write-part.js";
import { type PullContext, pathOf } from "./pull-context.js";

/** Count of small parts of a site at which they are joined. */
const MANY = 12;

/**
 * Joins small parts of the log to full files: the parts of a first pull at once, later parts when there are many or
 * enough for a file, so that a year of nightly pulls does not leave one file per night and site. The other parts get
 * their column files.
 */
export async function compactLog(
  context: PullContext,
  files: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const { journal, now, signal } = context;
  const final: SnapshotFile[] = [];
  for (const [site, parts] of partsBySite(files)) {
    signal?.throwIfAborted();
    if (parts.every(({ columns }) => columns) && !areMany(context, smallOf(parts))) {
      final.push(...parts);
      continue;
    }
    const step = `join/${site}/${nameOf(parts)}`;
    const done = await journal.step(step, async () => {
      const from = now().toISOString();
      const joined = await finalFiles(context, site, parts);
      return { step, from, to: now().toISOString(), files: joined };
    });
    final.push(...done.files);
  }
  return final;
}

/** The final files of the log of one site. */
async function finalFiles(
  context: PullContext,
  site: number | null,
  parts: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const { signal } = context;
  const { connection, folder } = context.tables;
  const joined = await partsToJoin(context, parts);
  const chosen = new Set(joined.map(({ file }) => file));
  const files: SnapshotFile[] = [];
  for (const part of parts) {
    signal?.throwIfAborted();
    if (!chosen.has(part)) files.push(await withColumns(connection, folder, part, pathOf(context, part)));
  }
  const options = { signal, onProgress: joinReporter(context, site) };
  return [...files, ...(await joinParts(connection, folder, joined, rowsOf(parts), options))];
}

/** The parts to join. Parts of large records are never joined and not counted. */
async function partsToJoin(context: PullContext, parts: readonly SnapshotFile[]) {
  const small = smallOf(parts);
  if (!areMany(context, small)) return [];
  const placed = small.map((file) => ({ file, path: pathOf(context, file) }));
  const measured = await measureParts(context.tables.connection, placed, context.signal);
  const joinable = measured.filter(({ isLarge }) => !isLarge);
  const isWorth = areMany(
    context,
    joinable.map(({ file }) => file),
  );
  return isWorth ? joinable : [];
}

function smallOf(parts: readonly SnapshotFile[]): readonly SnapshotFile[] {
  return parts.filter(({ bytes }) => bytes < SMALL_BYTES);
}

/** Whether small parts are worth joining. */
function areMany({ previous }: PullContext, small: readonly SnapshotFile[]): boolean {
  if (small.length < 2) return false;
  return !previous || small.length >= MANY || small.reduce((sum, { bytes }) => sum + bytes, 0) >= FULL_BYTES;
}

function joinReporter({ report }: PullContext, site: number | null): (progress: JoinProgress) => void {
  let started = performance.now();
  return ({ stage, rows, total }) => {
    if (rows === 0) started = performance.now();
    const remainingMs = rows > 0 ? ((performance.now() - started) / rows) * (total - rows) : undefined;
    report({ stage: `${stage} property_changes of site ${site ?? "none"}`, rows, total, remainingMs });
  };
}

/** Name of a join of these parts, so that a stopped join is only continued with the same parts. */
function nameOf(parts: readonly SnapshotFile[]): string {
  const paths = JSON.stringify(parts.map(({ path }) => path));
  return createHash("sha256").update(paths).digest("hex").slice(0, 16);
}
