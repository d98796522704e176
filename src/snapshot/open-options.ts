import type { TimeZones } from "../core/time-zone.js";

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
