import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type ColumnTable, table } from "arquero";
import type { Python } from "../../support/python.js";

/** The value of a question mark in a query: a string, or a date or an instant of Python. */
export type LakeParameter = string | { readonly date: string } | { readonly instant: number };

interface LakeAnswer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly error?: string;
}

/** The file of DuckDB's extension for lakes that a Python has. */
export function ducklakeFile(program: string): string {
  const find = `import duckdb_extension_ducklake as found, pathlib
print(next(pathlib.Path(found.__path__[0]).glob("extensions/*/ducklake.duckdb_extension")))`;
  return String(execFileSync(program, ["-c", find])).trim();
}

/** DuckDB with extensions, in a Python process. */
export class LakeReader {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(python: Python | undefined, extensions: readonly string[] = ["ducklake", "httpfs"]) {
    const script = join(import.meta.dirname, "python", "ask_lake.py");
    this.#process = spawn(python?.program ?? "", [script, ...extensions], { env: python?.env });
    this.#process.stderr.pipe(process.stderr);
    this.#reader = createInterface(this.#process.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /**
   * Attaches a catalog in a new session, which uses it under some name.
   *
   * @param before statements that this needs, for example a secret
   */
  async attach(catalog: string, name = "lake", options = "READ_ONLY", before: readonly string[] = []): Promise<void> {
    await this.start([...before, `ATTACH 'ducklake:${catalog}' AS "${name}" (${options})`, `USE "${name}"`]);
  }

  /** Begins a new session with some statements. */
  async start(statements: readonly string[]): Promise<void> {
    await this.#ask({ attach: statements });
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
