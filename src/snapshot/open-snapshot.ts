import { givenBy } from "../core/forgotten-await.js";
import { checkOptions, integerFrom, type OptionRules, text } from "../core/options.js";
import type { OpenSnapshotOptions } from "./open-options.js";
import type { Snapshot } from "./snapshot.js";

const openSnapshotRules: OptionRules<OpenSnapshotOptions> = {
  generation: integerFrom(1),
  cache: text,
  headers: {
    takes: "an object of texts",
    accepts: (value) =>
      typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string"),
  },
  timeoutMs: integerFrom(1),
  retries: integerFrom(0),
};

/**
 * Opens a snapshot folder as a source: the same calls and answers as the live API, from files. Only the sites and
 * columns that a call needs are read. Any number of readers may be open, also while a pull runs: each keeps the state
 * that it opened.
 *
 * A snapshot that lies elsewhere is opened by its address: `https://example.com/acme.snapshot`, `s3://bucket/acme.snapshot`.
 * Files come when they are needed, are checked by their sha256, and are kept on this machine for the next time. Each
 * opening looks which state is there now. Credentials for S3 come from the environment (`AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`) or, where the package
 * `@aws-sdk/credential-provider-node` is installed, from wherever AWS's tools take them; without any, requests are not
 * signed.
 *
 * @param path of the snapshot's folder, or its address
 * @throws ArgumentError for an address of another kind, or one with a password, query or fragment; also if the profile of
 * `AWS_PROFILE` gives no credentials
 * @throws NetworkError, ApiError if a server cannot be reached, is slow, cuts off or refuses, also later, when files are
 * needed
 * @throws SnapshotError if the folder is no snapshot, has another format version, does not hold the generation, or a
 * file is missing or truncated, or was altered in a table that is not kept by site. `siteframe verify` checks every
 * file's content. Of one that lies elsewhere: if a file is not what the manifest says, or is gone since a newer state was
 * put there.
 */
export function openSnapshot(path: string, options: OpenSnapshotOptions = {}): Promise<Snapshot> {
  return givenBy("openSnapshot()", open(path, options));
}

async function open(path: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  checkOptions("openSnapshot()", options, openSnapshotRules);
  const { openFolder } = await import("./open-folder.js");
  return openFolder(path, options);
}
