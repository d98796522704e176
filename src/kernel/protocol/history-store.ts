import { appendFileSync, closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolderSync } from "../../core/make-folder.js";

/** An executed cell. Sessions count from 1 over all kernels of a user, lines are execution counts. */
export interface HistoryEntry {
  readonly session: number;
  readonly line: number;
  readonly input: string;
  /** The result as text. */
  readonly output: string | null;
}

const keptSessions = 1000;

/** Executed cells of this kernel and earlier ones: one file per session, one line per cell. */
export class HistoryStore {
  readonly #folder: string | undefined;
  readonly #entries: HistoryEntry[] = [];
  #file: string | undefined;
  #session = 0;

  /** @param folder the folder for sessions; if undefined, history is not stored */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** The number of this session. */
  get session(): number {
    if (this.#session === 0) this.#begin();
    return this.#session;
  }

  add(line: number, input: string, output: string | null): void {
    const entry = { session: this.session, line, input, output };
    this.#entries.push(entry);
    this.#write((file) => appendFileSync(file, `${JSON.stringify({ line, input, output })}\n`));
  }

  /** The cells of one session, oldest first. */
  read(session: number): readonly HistoryEntry[] {
    if (session === this.session) return this.#entries;
    if (this.#folder === undefined) return [];
    try {
      return readFileSync(join(this.#folder, fileName(session)), "utf8")
        .split("\n")
        .flatMap((line) => parse(line, session));
    } catch {
      return [];
    }
  }

  /** The numbers of all sessions, newest first. */
  sessions(): readonly number[] {
    const kept = this.#kept();
    return [...new Set([...kept, this.session])].sort((a, b) => b - a);
  }

  /** The first free number; unique even if two kernels start at once. */
  #begin(): void {
    const kept = this.#kept();
    this.#session = Math.max(0, ...kept) + 1;
    this.#file = undefined;
    const folder = this.#folder;
    if (folder === undefined) return;
    for (let attempt = 0; attempt < 100; attempt++) {
      const file = join(folder, fileName(this.#session));
      try {
        makeFolderSync(folder, 0o700);
        closeSync(openSync(file, "wx", 0o600));
        this.#file = file;
        break;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return;
        this.#session++;
      }
    }
    for (const old of kept.sort((a, b) => b - a).slice(keptSessions))
      rmSync(join(folder, fileName(old)), { force: true });
  }

  #kept(): number[] {
    if (this.#folder === undefined) return [];
    try {
      return readdirSync(this.#folder).flatMap((name) =>
        /^\d+\.ndjson$/.test(name) ? [Number.parseInt(name, 10)] : [],
      );
    } catch {
      return [];
    }
  }

  /** A full disk must not prevent the result of a cell. */
  #write(write: (file: string) => void): void {
    try {
      if (this.#file !== undefined) write(this.#file);
    } catch {
      this.#file = undefined;
    }
  }
}

function fileName(session: number): string {
  return `${String(session).padStart(6, "0")}.ndjson`;
}

function parse(line: string, session: number): HistoryEntry[] {
  try {
    const { line: number, input, output } = JSON.parse(line);
    return [
      { session, line: Number(number), input: String(input), output: typeof output === "string" ? output : null },
    ];
  } catch {
    return [];
  }
}
