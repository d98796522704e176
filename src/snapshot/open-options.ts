/** Options of `openSnapshot()`. */
export interface OpenSnapshotOptions {
  /** The state to open; the present one if absent. */
  readonly generation?: number;
  /**
   * Folder to which files of a snapshot that lies elsewhere are brought. Default: one of the user's, below `~/.cache` on
   * Linux, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows.
   */
  readonly cache?: string;
  /** Headers of each request to an `https://` address, for example `{ authorization: "Bearer …" }`. They go to no other server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long a server may be silent, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /** How often a file is asked for again where that may help. Default 5. */
  readonly retries?: number;
}
