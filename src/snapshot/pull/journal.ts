import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { PULL_FOLDER, type SnapshotFile, storedFiles } from "../format/manifest.js";
import { isFile } from "../format/manifest-text.js";
import { fileBytes, READ_FLAGS } from "../format/own-paths.js";

/** What a pull is about. One with another header cannot be resumed. */
export interface PullHeader {
  /** 4 since the files of its steps are of format version 5. */
  readonly version: 4;
  readonly origin: string;
  readonly site_id: readonly number[] | null;
  /** The state that the pull began from; 0 for none. */
  readonly generation: number;
  /** The key of the pseudonyms that are stored, as `pseudonymKeyId()` states it; null if person data is stored. */
  readonly pseudonyms: string | null;
  /** Whether the new state replaces everything that the folder holds. */
  readonly rewrite: boolean;
  /** Whether the log of every feature is asked for: that decides what the log's steps are about. */
  readonly fullLog: boolean;
  readonly started_at: string;
}

/** A part of a pull that is complete. */
export interface PullStep {
  /**
   * Its name: `sites`, `layer_features/12`, `log/3`; `join/12/` and the name of the parts of a site's log that are joined, or
   * get columns.
   */
  readonly step: string;
  readonly from: string;
  readonly to: string;
  /** Files of the new state; written by this step, or of the state before. */
  readonly files: readonly SnapshotFile[];
  /** Features by what was found of them. */
  readonly features?: FeatureIds;
  /** Rows of the log that were new. */
  readonly newRows?: number;
  /** The last id among them. */
  readonly lastId?: string | undefined;
  /** Those of them that were made well before the pull began. */
  readonly earlyRows?: number;
}

/** Ids of features by what was found of them, in ascending order. */
export interface FeatureIds {
  /** Not among the features of the same site before. */
  readonly added: readonly number[];
  readonly changed: readonly number[];
  /** Edited so shortly before the last pull that its log may have been too early. */
  readonly settling: readonly number[];
  /** Among the features of the same site before, and not now. */
  readonly missing: readonly number[];
}

/**
 * The steps that a pull has completed, one JSON line each. A line is appended after the files of its step are on the
 * disk, so that a pull that was killed goes on behind the last whole line.
 */
export class Journal {
  readonly folder: string;
  readonly header: PullHeader;
  readonly #steps: Map<string, PullStep>;

  private constructor(folder: string, header: PullHeader, steps: Map<string, PullStep>) {
    this.folder = folder;
    this.header = header;
    this.#steps = steps;
  }

  /**
   * Opens the journal of a pull: the existing one if it has steps, is about the same, is not older than `resumeMs` and all its files
   * are there, else a new one. A failed attempt without a step has read nothing, so its time must not become the generation's.
   * Unknown content is ignored, since the folder may belong to another program.
   */
  static async open(root: string, wanted: PullHeader, resumeMs: number): Promise<Journal> {
    const folder = join(root, PULL_FOLDER);
    const [header, ...steps] = await readLines(join(folder, "journal.ndjson"));
    if (steps.length > 0 && isHeader(header) && isSame(header, wanted, resumeMs) && steps.every(isStep)) {
      if (areWhole(steps, [folder, root])) {
        return new Journal(folder, header, new Map(steps.map((step) => [step.step, step])));
      }
    }
    await rm(folder, REMOVE_FOLDER);
    await mkdir(folder, { recursive: true });
    const journal = new Journal(folder, wanted, new Map());
    await journal.#append(wanted);
    return journal;
  }

  get steps(): readonly PullStep[] {
    return [...this.#steps.values()];
  }

  /** When the first record was read, also in an earlier attempt that was interrupted. */
  get firstRead(): string {
    const [first] = this.steps.map(({ from }) => from).sort();
    if (first === undefined) throw new TypeError("no step has read anything yet");
    return first;
  }

  /** Does a step and notes it, unless it was done before. */
  async step(name: string, work: () => Promise<PullStep>): Promise<PullStep> {
    const done = this.#steps.get(name);
    if (done) return done;
    const step = await work();
    await this.#append(step);
    this.#steps.set(name, step);
    return step;
  }

  async remove(): Promise<void> {
    await rm(this.folder, REMOVE_FOLDER);
  }

  async #append(line: PullHeader | PullStep): Promise<void> {
    await using file = await open(join(this.folder, "journal.ndjson"), "a");
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.sync();
  }
}

/** Whether each file of the steps stands in one of the folders, as long as it was written. */
function areWhole(steps: readonly PullStep[], folders: readonly string[]): boolean {
  return storedFiles({ files: steps.flatMap(({ files }) => files) }).every(({ path, bytes }) =>
    folders.some((folder) => fileBytes(folder, path) === bytes),
  );
}

/**
 * The whole lines: the last one may have been cut off. Then half a line is removed, so that the next one does not
 * continue it; not from a file that has another name elsewhere, too.
 */
async function readLines(path: string): Promise<unknown[]> {
  try {
    await using file = await open(path, READ_FLAGS | constants.O_RDWR);
    const found = await file.stat();
    if (!found.isFile() || found.nlink > 1) return [];
    const text = await file.readFile("utf8");
    const lines = text.slice(0, text.lastIndexOf("\n") + 1);
    if (lines !== text) await file.truncate(Buffer.byteLength(lines));
    return lines
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return [];
  }
}

function isStep(value: unknown): value is PullStep {
  const {
    step,
    files,
    features = {},
  } = (typeof value === "object" && value !== null ? value : {}) as Partial<PullStep>;
  if (typeof step !== "string" || !Array.isArray(files) || !files.every((file) => isFile(file))) return false;
  return Object.values(features).every((ids) => Array.isArray(ids) && ids.every(Number.isSafeInteger));
}

function isHeader(value: unknown): value is PullHeader {
  return typeof value === "object" && value !== null && "started_at" in value;
}

function isSame(a: PullHeader, b: PullHeader, resumeMs: number): boolean {
  const age = Date.parse(b.started_at) - Date.parse(a.started_at);
  const about = ({ started_at: _, ...rest }: PullHeader) => JSON.stringify(rest);
  return about(a) === about(b) && age >= 0 && age <= resumeMs;
}
