import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSnapshot, writeDuckLake } from "../../../src/index.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython, type Python } from "../../support/python.js";
import { temporaryFolder } from "../temporary-folder.js";
import { ducklakeFile } from "./ask-lake.js";

const folder = temporaryFolder();
const python = findPython("duckdb, duckdb_extension_ducklake");
const hasR = findR();

function findR(): boolean {
  try {
    execFileSync("Rscript", ["-e", "library(reticulate)"], { stdio: "ignore" });
    return true;
  } catch {
    const reason = "R with reticulate is missing. Run .ci/full r";
    if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
    process.stderr.write(`skipped: ${reason}\n`);
    return false;
  }
}

it.skipIf(!(python && hasR))("a lake in R returns the same as a history", async () => {
  const path = join(folder, "acme.snapshot");
  await writeSample(path);
  const { path: catalog } = await writeDuckLake(path, { timeZone: "Europe/Berlin" });
  const snapshot = await openSnapshot(path);
  const history = await snapshot.history({ semantic_type: "TRENCHES" }, { timeZone: "Europe/Berlin" });
  const asOf = history.asOf("2024-06-30");
  const { program, env } = python as Python;
  const query = `SELECT id, coalesce("STATUS", 'none') AS status FROM TRENCHES_AT(DATE '2024-06-30') ORDER BY id`;
  const script = join(import.meta.dirname, "r", "ask_lake.R");
  const printed = execFileSync("Rscript", [script, program, ducklakeFile(program), catalog, query], { env });
  const expected = asOf.orderby("id").objects() as { id: number; STATUS: string | null }[];
  expect(new Set(expected.map(({ STATUS }) => STATUS)).size).toBeGreaterThan(1);
  const lines = expected.map(({ id, STATUS }) => `${id}\t${STATUS ?? "none"}`);
  expect(String(printed).trim().split("\n")).toEqual(["id\tstatus", ...lines]);
  await snapshot.close();
});
