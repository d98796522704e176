import { SnapshotError } from "../../core/errors.js";
import type { Manifest } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { PullStep } from "./journal.js";
import type { SettledFeatures } from "./settle-features.js";

/** A company deletes some features now and then; more than this share at once looks like a key that sees less. */
const LARGEST_SHARE = 0.1;
const SMALLEST_COUNT = 10;

/**
 * Refuses a state in which much is missing: a key that was limited must not look like a mass deletion.
 *
 * @throws SnapshotError saying what is missing
 */
export function checkAccess(
  root: string,
  previous: Manifest,
  steps: readonly PullStep[],
  { gone }: SettledFeatures,
): void {
  const features = previous.files.filter(({ resource }) => resource === "layerFeatures");
  const before = features.reduce((sum, { rows }) => sum + rows, 0);
  const read = new Set(steps.map(({ step }) => step));
  const lost = features.filter(({ site_id }) => !read.has(`${schemaOf("layerFeatures").name}/${site_id}`));
  const sites = [...new Set(lost.map(({ site_id }) => site_id))];
  if (sites.length === 0 && gone.length <= Math.max(SMALLEST_COUNT, LARGEST_SHARE * before)) return;
  const what = sites.length > 0 ? `${sites.length} of the sites (${sites.slice(0, 5).join(", ")}), with them ` : "";
  throw new SnapshotError(
    `The key now sees less than ${root} holds: ${what}${gone.length} of ${before} layer features no longer come.`,
    {
      hint: "Nothing was changed. If they are gone for good, allow it (allowShrink, --allow-shrink); otherwise use a key that sees them.",
      facts: { path: root, sites, gone: gone.length, before },
    },
  );
}
