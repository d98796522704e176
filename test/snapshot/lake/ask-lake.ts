import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type ColumnTable, table } from "arquero";
import type { Python } from "../../support/python.js";

/** What a query is given in place of a question mark: a text, or what Python has for a date or an instant. */
export type LakeParameter = string | { readonly date: string } | { readonly instant: number };

interface LakeAnswer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly error?: string;
}

/** DuckDB in a Python of its own, with the extension for DuckLakes. */
export class LakeReader {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(python: Python | undefined) {
    const script = join(import.meta.dirname, "python", "ask_lake.py");
    this.#process = spawn(python?.program ?? "", [script], { env: python?.env });
    this.#process.stderr.pipe(process.stderr);
    this.#reader = createInterface(this.#process.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Attaches a catalog in a new session, which uses it under some name. */
  async attach(catalog: string, name = "lake", options = "READ_ONLY"): Promise<void> {
    const attached = `ATTACH 'ducklake:${catalog}' AS "${name}" (${options})`;
    await this.#ask({ attach: [attached, `USE "${name}"`] });
  }

  async sql(query: string, parameters: readonly LakeParameter[] = []): Promise<ColumnTable> {
    const { names, rows } = await this.#ask({ sql: query, parameters });
    return table(names.map((name, place) => [name, rows.map((row) => cellOf(row[place]))] as [string, unknown[]]));
  }

  close(): void {
    this.#reader.close();
    this.#process.stdin.end();
  }

  async #ask(question: object): Promise<LakeAnswer> {
    this.#process.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("Python has ended");
    const answer = JSON.parse(value) as LakeAnswer;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}

function cellOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("ms" in value)) return value;
  return new Date(Number(value.ms));
}
