import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeLake, openSnapshot } from "../../../src/index.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython, type Python } from "../../support/python.js";
import { expectSamePast, withoutLogged } from "../sql/same-past.js";
import { temporaryFolder } from "../temporary-folder.js";
import { ducklakeFile } from "./ask-lake.js";

const folder = temporaryFolder();
const python = findPython("duckdb_cli, duckdb_extension_ducklake");

/** The lines that a command of DuckDB prints, after it attached a lake. */
async function ask({ program, env }: Python, catalog: string, query: string): Promise<string> {
  const before = `LOAD '${ducklakeFile(program)}'; ATTACH 'ducklake:${catalog}' AS acme (READ_ONLY); USE acme`;
  const command = [join(dirname(program), "duckdb"), "-unsigned", "-csv", "-c", `${before}; ${query}`] as const;
  const { stdout } = await promisify(execFile)(command[0], command.slice(1), { env });
  return stdout.trim();
}

describe.skipIf(!python)("a lake in DuckDB's command line", () => {
  it("says what a history says", async () => {
    const path = join(folder, "acme.snapshot");
    await writeSample(path);
    const { path: catalog } = await makeLake(path, { timeZone: "Europe/Berlin" });
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "TRENCHES" }, { timeZone: "Europe/Berlin" });
    // It stores its answers, so that their types are kept.
    let answers = 0;
    const sql = async (query: string) => {
      const answer = join(folder, `answer-${++answers}.parquet`);
      await ask(python as Python, catalog, `COPY (${query}) TO '${answer}'`);
      return withoutLogged(await snapshot.sql(`FROM read_parquet('${answer}')`));
    };
    await expectSamePast({ sql }, "TRENCHES", history, ["2024-06-30", "2025-10-26", "2026-06-30"]);
    const printed = await ask(python as Python, catalog, "SELECT count(*) AS n FROM trenches_at(DATE '2025-06-30')");
    expect(printed.split(/\r?\n/)).toEqual(["n", String(history.asOf("2025-06-30").numRows())]);
    await snapshot.close();
  });
});
