import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultTransport } from "../client/read-options.js";
import { ArgumentError } from "../core/errors.js";
import type { TimeZones } from "../core/time-zone.js";
import { isAddress } from "../core/url-checks.js";
import { LazyDatabase } from "./database/lazy-database.js";
import { readGeneration } from "./folder/manifest-file.js";
import { checkHashes, checkSizes, smallFiles } from "./folder/verify-files.js";
import { resolveAddress } from "./remote/remote-address.js";
import { Snapshot } from "./snapshot.js";

/** Options of `openSnapshot()`. */
export interface OpenSnapshotOptions {
  /** Generation to open. Default: the current one. */
  readonly generation?: number;
  /**
   * Folder for files of remote snapshots. Default: a folder of this user, below `~/.cache` on Linux, `~/Library/Caches`
   * on macOS, `%LOCALAPPDATA%` on Windows.
   */
  readonly cacheDirectory?: string;
  /**
   * Headers of each request to an `https://` address, for example `{ authorization: "Bearer …" }`. They are sent to no
   * other server.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum time without response from the server, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Maximum retries for a file after a temporary failure. Default: 5. */
  readonly retries?: number;
  /** Time zone of the sites, in which times are shown: an IANA name, or names by site id. Default: `"UTC"`. */
  readonly timeZone?: TimeZones | undefined;
}

/** Implementation of `openSnapshot()`. */
export async function openFolder(path: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  if (isAddress(path) && !/^file:/i.test(path)) return openRemote(path, options);
  const given = (["cacheDirectory", "headers", "timeoutMs", "retries"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (given.length > 0) {
    throw new ArgumentError(`openSnapshot(): ${given.join(", ")} cannot be used with a local folder.`, {
      hint: "Remove the options, or pass an address: https://…, s3://….",
      facts: { path, given },
    });
  }
  const root = /^file:/i.test(path) ? fileURLToPath(path) : resolve(path);
  const manifest = await readGeneration(root, options.generation);
  await checkSizes(root, manifest);
  await checkHashes(root, smallFiles(manifest));
  return new Snapshot(new LazyDatabase(root, manifest), manifest, root, { path, timeZone: options.timeZone });
}

async function openRemote(text: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  const { RemoteFolder } = await import("./remote/remote-folder.js");
  const {
    generation,
    cacheDirectory: cache,
    headers,
    timeoutMs = defaultTransport.timeoutMs,
    retries = defaultTransport.retries,
  } = options;
  const address = resolveAddress(text, headers);
  const folder = await RemoteFolder.open(address, { cache: cache && resolve(cache), timeoutMs, retries });
  try {
    const { root } = folder;
    const manifest = await folder.readManifest(generation);
    return new Snapshot(new LazyDatabase(root, manifest, { fetcher: folder }), manifest, root, {
      path: address.text,
      remote: folder,
      timeZone: options.timeZone,
    });
  } catch (error) {
    await folder.close();
    throw error;
  }
}
