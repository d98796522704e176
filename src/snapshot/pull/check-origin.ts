import { SnapshotError } from "../../core/errors.js";
import type { Origin } from "../../core/origin.js";
import type { Manifest, SnapshotOrigin } from "../format/manifest.js";

/**
 * Refuses to mix the data of two services, or of two scopes, in one folder.
 *
 * @returns the sites to pull; null for all
 * @throws SnapshotError naming what stands there and what was asked for
 */
export function checkOrigin(
  root: string,
  previous: Manifest | undefined,
  origin: SnapshotOrigin,
  sites: readonly number[] | null,
): readonly number[] | null {
  if (!previous) return sites;
  if (previous.origin.kind !== origin.kind || previous.origin.name !== origin.name) {
    throw new SnapshotError(`${root} was made from ${previous.origin.name}, not from ${origin.name}.`, {
      hint: "Give another folder.",
      facts: { path: root, origin: previous.origin.name, asked: origin.name },
    });
  }
  const scope = previous.scope["site_id"]?.map(Number) ?? null;
  if (sites === null) return scope;
  const dropped = scope?.filter((site) => !sites.includes(site));
  if (scope && dropped?.length === 0) return sites;
  throw new SnapshotError(
    `${root} holds ${scope ? `the sites ${scope.join(", ")}` : "every site"}, not only ${sites.join(", ")}.`,
    {
      hint: "Leave the sites out to keep its scope, or give another folder.",
      facts: { path: root, scope, asked: sites },
    },
  );
}

/** Where a snapshot of a source comes from. */
export function snapshotOrigin({ kind, name }: Origin): SnapshotOrigin {
  return { kind, name };
}
