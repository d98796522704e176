import type { ReadOptions } from "../../client/read-options.js";
import type { FoundCounts, RowCounts } from "../format/manifest.js";
import type { PullProgress } from "./pull-context.js";

/** Options of `pull()`, including those of every read, such as `signal`, `concurrency` and `redact`. */
export interface PullOptions extends Omit<ReadOptions, "onProgress"> {
  /** Sites to pull. Default: the sites of the existing snapshot, else all that the API key can read. */
  readonly site_id?: number | readonly number[] | undefined;
  /** Callback for arriving rows and new stages. */
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Whether to accept missing sites, or more than a tenth fewer features. Default: false. */
  readonly allowShrink?: boolean | undefined;
  /** Whether the service may have another address than in the previous generation. Default: false. */
  readonly allowMove?: boolean | undefined;
  /** Whether to read the log of every feature, even if it seems unchanged. Default: false. */
  readonly fullLog?: boolean | undefined;
  /**
   * Whether to rewrite a folder that has person data while this pull stores pseudonyms (`redact`), or vice versa, or
   * that has pseudonyms of another key. A rewrite reads all records again; it removes earlier generations, gone
   * features, and files of interrupted pulls. Open readers lose their files. Default: false, which rejects such a pull.
   */
  readonly rewrite?: boolean | undefined;
  /** Maximum age of an interrupted pull that is continued, in milliseconds. Default: 24 hours. */
  readonly resumeMs?: number | undefined;
  /** Clock of the pull. Default: the system's. */
  readonly now?: (() => Date) | undefined;
}

/** Result of a pull. */
export interface PullReport {
  /** The written generation. */
  readonly generation: number;
  /** Rows by resource in this generation. */
  readonly rows: RowCounts;
  /** Counts of features that are new, changed, gone or returned, and of new changes. */
  readonly found: FoundCounts;
  /** Ids of features that are new, changed, gone or returned. */
  readonly features: {
    /** New in this generation. */
    readonly added: readonly number[];
    /** Different from the previous generation. */
    readonly changed: readonly number[];
    /** In the previous generation, and no longer returned by the service. */
    readonly gone: readonly number[];
    /** Gone in the previous generation, and returned again. */
    readonly returned: readonly number[];
  };
  /** Whether the folder was rewritten, so that it has only this generation. */
  readonly rewritten: boolean;
  /** Whether an interrupted pull was continued. */
  readonly resumed: boolean;
}
