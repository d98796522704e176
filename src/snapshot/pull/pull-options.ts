import type { ReadOptions } from "../../client/read-options.js";
import type { FoundCounts, RowCounts } from "../format/manifest.js";
import type { PullProgress } from "./pull-context.js";

/** Options of `pull()`; those of every read, such as `signal`, `concurrency` and `redact`, among them. */
export interface PullOptions extends Omit<ReadOptions, "onProgress"> {
  /** The sites to pull; all that the key sees if absent, or those that the snapshot was begun with. */
  readonly site_id?: number | readonly number[] | undefined;
  /** Called as rows arrive and when a stage begins. */
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Whether a state in which sites or more than a tenth of the features are missing is accepted. Default false. */
  readonly allowShrink?: boolean | undefined;
  /** Whether the service may have another address than in the previous generation. Default: false. */
  readonly allowMove?: boolean | undefined;
  /** Whether the log of every feature is asked for, also of those that look untouched. Default false. */
  readonly fullLog?: boolean | undefined;
  /**
   * Whether a folder is rewritten if it holds person data and this pull stores pseudonyms (`redact`), the other way round, or if
   * its pseudonyms are of another key. All records are read again; earlier generations, features that are gone, and
   * files of interrupted pulls are removed. Readers that have the folder open lose their files. Default: false, which
   * refuses such a pull.
   */
  readonly rewrite?: boolean | undefined;
  /** How old a pull that was interrupted may be to be continued, in milliseconds. Default 24 hours. */
  readonly resumeMs?: number | undefined;
  /** The clock; the system's if absent. */
  readonly now?: (() => Date) | undefined;
}

/** What a pull found and wrote. */
export interface PullReport {
  /** The state that it wrote. */
  readonly generation: number;
  /** Rows by resource in that state. */
  readonly rows: RowCounts;
  /** How many features are new, changed, gone or came back, and how many changes are new. */
  readonly found: FoundCounts;
  /** Ids of the features that are new, changed, gone, or came back. */
  readonly features: {
    /** Not in the state before. */
    readonly added: readonly number[];
    /** In both, but not the same. */
    readonly changed: readonly number[];
    /** In the state before, and no longer served. */
    readonly gone: readonly number[];
    /** Gone in the state before, and served again. */
    readonly returned: readonly number[];
  };
  /** Whether the folder was rewritten: then it holds this generation alone. */
  readonly rewritten: boolean;
  /** Whether an interrupted pull was continued. */
  readonly resumed: boolean;
}
