import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import { cellSignal } from "../../core/abort-signal.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import {
  ArgumentError,
  DependencyError,
  type ErrorFacts,
  FileError,
  QueryError,
  SiteframeError,
  SnapshotError,
} from "../../core/errors.js";
import { packageFolder } from "../../core/package-folder.js";
import { type Column, DateColumn } from "../column/column.js";
import { toTable } from "../column/table.js";
import { instantTexts } from "../export/export-values.js";
import { type DeclaredType, declaredType, declareType } from "../types/declared-type.js";

/** Maximum number of processes; further queries wait. */
const MOST = 2;
/** An idle process is ended after this time. */
const IDLE_MS = 30_000;

/** A table in a message between processes. */
export interface SentTable {
  readonly columns: readonly {
    readonly name: string;
    /** Instants as text to the microsecond. */
    readonly values: readonly unknown[];
    readonly areInstants: boolean;
    readonly type?: DeclaredType | undefined;
  }[];
}

/** The result of a query. */
export interface SandboxAnswer {
  readonly table?: SentTable | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface SentError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly facts: ErrorFacts;
}

/** A message of a process. */
export type SandboxMessage =
  | { readonly answer: SandboxAnswer }
  /** An error with a message for users. */
  | { readonly refused: SentError }
  /** Another error, with its stack. */
  | { readonly failed: string }
  /** The query exceeded the memory limit. */
  | { readonly tooLarge: number };

/** Maximum bytes of the values of a table in a message, which is in the memory of both processes. */
const MOST_BYTES = 200_000_000;

/**
 * Converts a table for a message.
 *
 * @throws QueryError for a table that is too large, before it is sent
 */
export function sentTable(table: ColumnTable, most = MOST_BYTES): SentTable {
  let left = most;
  const take = (bytes: number) => {
    left -= bytes;
    if (left >= 0) return;
    throw new QueryError(`sql(): the result has more than ${Math.round(most / 1_000_000)} MB of values.`, {
      hint: "Select fewer rows or columns, or parts of long values: left(value, 1000).",
      facts: { limit: most },
    });
  };
  return {
    columns: table.columnNames().map((name) => {
      const column: Column = table.column(name) ?? [];
      const areInstants = column instanceof DateColumn;
      const values = areInstants ? instantTexts(column) : Array.from(column);
      for (const value of values) takeBytes(value, take);
      return { name, values, areInstants, type: declaredType(column) };
    }),
  };
}

const NUMBER_BYTES = 8;

/** Reports the approximate bytes of a value, a part at a time, because a list may have millions of items. */
function takeBytes(value: unknown, take: (bytes: number) => void): void {
  if (typeof value === "string") take(value.length);
  else if (value instanceof Uint8Array) take(value.byteLength);
  else if (!(value instanceof Object) || value instanceof Date) take(NUMBER_BYTES);
  else for (const part of Object.values(value)) takeBytes(part, take);
}

/** Converts an error for a message. */
export function sentError(error: unknown): SandboxMessage {
  if (!(error instanceof SiteframeError))
    return { failed: error instanceof Error ? String(error.stack) : String(error) };
  const { code, message, hint, facts } = error;
  return { refused: { code, message, hint, facts } };
}

/** Restores a table from a message. */
export function receivedTable({ columns }: SentTable): ColumnTable {
  return toTable(
    columns.map(({ name, values, areInstants, type }) => {
      const column = areInstants ? new DateColumn(values) : values;
      return [name, type ? declareType(column, type) : column] as const;
    }),
  );
}

/**
 * Processes for queries of other authors. A query that crashes, cannot be interrupted, or writes to forbidden places
 * only affects its process. Each process runs one query at a time, is kept for the next, and is killed with its query
 * or when this process ends in any way.
 */
export class SandboxProcesses {
  readonly #idle: SandboxProcess[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #all = new Set<SandboxProcess>();
  #isClosed = false;

  /**
   * Runs a query.
   *
   * @param job plain data for the program
   * @throws QueryError or SnapshotError, as thrown by the query; QueryError if the process crashed or exceeded
   * its memory; the signal's reason once it is aborted
   */
  async run(job: object, signal = cellSignal()): Promise<SandboxAnswer> {
    signal?.throwIfAborted();
    const child = await this.#take(signal);
    try {
      return await child.run(job, signal);
    } finally {
      this.#give(child);
    }
  }

  /** Ends the processes and their queries. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#all) child.kill();
    this.#all.clear();
    this.#idle.length = 0;
  }

  async #take(signal: AbortSignal | undefined): Promise<SandboxProcess> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle?.isAlive) return idle;
      if (idle) this.#all.delete(idle);
      else if (this.#all.size < MOST) {
        const child = new SandboxProcess();
        this.#all.add(child);
        return child;
      } else await this.#untilFree(signal);
    }
  }

  async #untilFree(signal: AbortSignal | undefined): Promise<void> {
    let wake = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        this.#waiting.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    } catch (error) {
      const index = this.#waiting.indexOf(wake);
      // A waiter that is woken and leaves wakes the next one.
      if (index >= 0) this.#waiting.splice(index, 1);
      else this.#waiting.shift()?.();
      throw error;
    }
  }

  #give(child: SandboxProcess): void {
    if (this.#isClosed) child.kill();
    if (child.isAlive) {
      this.#idle.push(child);
      child.endWhenIdle(() => {
        this.#all.delete(child);
        const index = this.#idle.indexOf(child);
        if (index >= 0) this.#idle.splice(index, 1);
      });
    } else this.#all.delete(child);
    this.#waiting.shift()?.();
  }
}

class SandboxProcess {
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout | undefined;
  isAlive = true;

  constructor() {
    this.#child = fork(join(packageFolder, "dist", "snapshot", "sandbox-main.js"), [], {
      // Dates, bytes and large integers need no conversion.
      serialization: "advanced",
      // Output of queries is discarded.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--no-deprecation"],
    });
    this.#child.on("exit", () => {
      this.isAlive = false;
    });
    this.#child.on("error", () => this.kill());
    this.#rest();
  }

  async run(job: object, signal: AbortSignal | undefined): Promise<SandboxAnswer> {
    clearTimeout(this.#timer);
    this.#child.ref();
    this.#child.channel?.ref();
    const stop = () => this.kill();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const message = await this.#ask(job);
      if ("answer" in message) return message.answer;
      if ("refused" in message) throw received(message.refused);
      if ("tooLarge" in message) throw tooLarge(message.tooLarge);
      throw new Error(`The process of a query failed. ${message.failed}`);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#rest();
    }
  }

  kill(): void {
    this.isAlive = false;
    clearTimeout(this.#timer);
    this.#child.kill("SIGKILL");
  }

  endWhenIdle(forget: () => void): void {
    this.#timer = setTimeout(() => {
      forget();
      this.kill();
    }, IDLE_MS).unref();
  }

  #ask(job: object): Promise<SandboxMessage> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const done = () => {
        child.off("message", answered);
        child.off("exit", ended);
      };
      const answered = (message: unknown) => {
        done();
        if ("tooLarge" in (message as SandboxMessage)) this.kill();
        resolve(message as SandboxMessage);
      };
      const ended = (code: number | null, name: string | null) => {
        done();
        reject(ending(name ?? code));
      };
      child.on("message", answered);
      child.on("exit", ended);
      child.send(job, (error) => {
        // A process that has ended reports this itself.
        if (error && child.exitCode === null && child.signalCode === null) {
          done();
          this.kill();
          reject(error);
        }
      });
    });
  }

  /** Lets the program end while the process is idle. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function ending(how: string | number | null): QueryError {
  return new QueryError(`sql(): the query ended the process that ran it (${String(how)}).`, {
    hint: "Rewrite the query: DuckDB cannot run it.",
    facts: { ended: how },
  });
}

function tooLarge(megabytes: number): QueryError {
  return new QueryError(`sql(): the query needs more than ${megabytes} MB of memory.`, {
    hint: "Select fewer rows or columns at once.",
    facts: { megabytes },
  });
}

function received({ code, message, hint, facts }: SentError): SiteframeError {
  const options = { facts, ...(hint === undefined ? {} : { hint }) };
  const Class = classes.get(code);
  return Class ? new Class(message, options) : new SiteframeError(code, message, options);
}

/** Classes of errors by code. */
const classes = new Map([
  ["ERR_ARGUMENT", ArgumentError],
  ["ERR_DEPENDENCY", DependencyError],
  ["ERR_FILE", FileError],
  ["ERR_QUERY", QueryError],
  ["ERR_SNAPSHOT", SnapshotError],
]);
