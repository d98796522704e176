import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { PULL_FOLDER, type SnapshotFile, storedFiles } from "../format/manifest.js";
import { isFile } from "../format/manifest-text.js";
import { fileBytes, READ_FLAGS } from "../format/snapshot-paths.js";

/** Settings of a pull. A pull with a different header cannot be resumed. */
export interface PullHeader {
  /** 4 since the files of its steps have format version 5. */
  readonly version: 4;
  readonly origin: string;
  readonly site_id: readonly number[] | null;
  /** Generation at the start of the pull; 0 for none. */
  readonly generation: number;
  /** Key id of the stored pseudonyms, from `pseudonymKeyId()`; null if person data is stored. */
  readonly pseudonyms: string | null;
  /** Whether the new generation replaces the whole content of the folder. */
  readonly rewrite: boolean;
  /** Whether the log of every feature is read, which decides the steps of the log. */
  readonly fullLog: boolean;
  readonly started_at: string;
}

/** A completed step of a pull. */
export interface PullStep {
  /**
   * Name of the step: `sites`, `layer_features/12`, `log/3`; `join/12/` with the name of the parts of a site's log that
   * are joined or get column files.
   */
  readonly step: string;
  readonly from: string;
  readonly to: string;
  /** Files of the new generation, written by this step or kept from the previous generation. */
  readonly files: readonly SnapshotFile[];
  /** Features by kind of change. */
  readonly features?: FeatureIds;
  /** Count of new rows of the log. */
  readonly newRows?: number;
  /** Last id of the new rows. */
  readonly lastId?: string | undefined;
  /** Count of new rows that were made well before the pull began. */
  readonly earlyRows?: number;
}

/** Ids of features by kind of change, in ascending order. */
export interface FeatureIds {
  /** New among the features of the same site. */
  readonly added: readonly number[];
  readonly changed: readonly number[];
  /** Edited so shortly before the last pull that its log may have been read too early. */
  readonly settling: readonly number[];
  /** No longer among the features of the same site. */
  readonly missing: readonly number[];
}

/**
 * The completed steps of a pull, one JSON line each. A line is appended after the files of its step are on the disk, so
 * that a killed pull continues after the last complete line.
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
   * Opens the journal of a pull: the existing one if it has steps, the same header, is not older than `resumeMs` and
   * all its files exist; else a new one. A failed attempt without steps has read nothing, so its time must not become
   * the generation's. Unknown content is ignored, since the folder may belong to another program.
   */
  static async open(root: string, expected: PullHeader, resumeMs: number): Promise<Journal> {
    const folder = join(root, PULL_FOLDER);
    const [header, ...steps] = await readLines(join(folder, "journal.ndjson"));
    if (steps.length > 0 && isHeader(header) && isSame(header, expected, resumeMs) && steps.every(isStep)) {
      if (areWhole(steps, [folder, root])) {
        return new Journal(folder, header, new Map(steps.map((step) => [step.step, step])));
      }
    }
    await rm(folder, REMOVE_FOLDER);
    await mkdir(folder, { recursive: true });
    const journal = new Journal(folder, expected, new Map());
    await journal.#append(expected);
    return journal;
  }

  get steps(): readonly PullStep[] {
    return [...this.#steps.values()];
  }

  /** Time of the first read, also in an interrupted attempt. */
  get firstRead(): string {
    const [first] = this.steps.map(({ from }) => from).sort();
    if (first === undefined) throw new TypeError("no step has read anything yet");
    return first;
  }

  /** Runs a step and records it, unless it was completed before. */
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

/** Whether each file of the steps is in one of the folders, with its full length. */
function areWhole(steps: readonly PullStep[], folders: readonly string[]): boolean {
  return storedFiles({ files: steps.flatMap(({ files }) => files) }).every(({ path, bytes }) =>
    folders.some((folder) => fileBytes(folder, path) === bytes),
  );
}

/**
 * The complete lines: the last line may be cut off. Then it is removed, so that the next line does not continue it;
 * unless the file has another hard link.
 */
async function readLines(path: string): Promise<unknown[]> {
  try {
    await using file = await open(path, READ_FLAGS | constants.O_RDWR);
    const stats = await file.stat();
    if (!stats.isFile() || stats.nlink > 1) return [];
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
