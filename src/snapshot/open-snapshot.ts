import { givenBy } from "../core/forgotten-await.js";
import { checkOptions, integerFrom, type OptionRules, text } from "../core/options.js";
import { checkTimeZones, timeZonesRule } from "../core/time-zone.js";
import type { OpenSnapshotOptions } from "./open-folder.js";
import type { Snapshot } from "./snapshot.js";

const openSnapshotRules: OptionRules<OpenSnapshotOptions> = {
  generation: integerFrom(1),
  cacheDirectory: text,
  headers: {
    takes: "an object of strings",
    accepts: (value) =>
      typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string"),
  },
  timeoutMs: integerFrom(1),
  retries: integerFrom(0),
  timeZone: timeZonesRule,
};

/**
 * Returns a snapshot folder as a source, with the same calls and results as the live API, from files. Only the sites
 * and columns that a call needs are read. Any number of readers can be open, also during a pull: each keeps the
 * generation that it opened.
 *
 * A remote snapshot is opened by its address: `https://example.com/acme.snapshot`, `s3://bucket/acme.snapshot`. Files
 * are fetched on demand, checked by their sha256, and cached on this machine. Each call of `openSnapshot()` looks up
 * the current generation. Credentials for S3 come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
 * `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`) or, if the package `@aws-sdk/credential-provider-node` is
 * installed, from the same places as in AWS's tools; without credentials, requests are not signed.
 *
 * @param path of the snapshot folder, or its address
 * @example
 * ```ts
 * const snapshot = await openSnapshot("acme.snapshot");
 * const stored = await snapshot.layer({ semantic_type: "TRENCHES" });
 * stored.table.select("visible_id", "STATUS", "Length").slice(0, 4)
 * ```
 * @throws ArgumentError for an unsupported address, or an address with a password, query or fragment; also if the
 * profile in `AWS_PROFILE` has no credentials
 * @throws NetworkError, ApiError if a server cannot be reached, is slow, breaks the connection or refuses; also later,
 * when files are fetched
 * @throws SnapshotError if the folder is not a snapshot, has another format version or lacks the generation, or if a
 * file is missing or truncated, or was altered in a table that is not stored by site. `siteframe verify` checks the
 * content of every file. For remote snapshots: if a file differs from the manifest, or is gone since a newer generation
 * was uploaded.
 */
export function openSnapshot(path: string, options: OpenSnapshotOptions = {}): Promise<Snapshot> {
  return givenBy("openSnapshot()", open(path, options));
}

async function open(path: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  checkOptions("openSnapshot()", options, openSnapshotRules);
  checkTimeZones(options.timeZone);
  const { openFolder } = await import("./open-folder.js");
  return openFolder(path, options);
}
