import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { literalPath } from "../../../src/tables/sql/literal-path.js";
import { sqlText } from "../../../src/tables/sql/sql-text.js";
import { duckdbRows } from "../../support/duckdb-rows.js";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "siteframe-"));
});
afterAll(() => rm(root, { recursive: true }));

it("leaves a path without wildcards unchanged", () => {
  expect(literalPath("/data/{a,b}/k=v/it's]/acme.parquet")).toBe("/data/{a,b}/k=v/it's]/acme.parquet");
});

it.each([
  ["acme [1]", "acme 1"],
  ["[!a]", "b"],
  ["a]b[", "a]b"],
  ["{a,b}", "a"],
  // Windows forbids these in names.
  ...(process.platform === "win32"
    ? []
    : [
        ["what?", "whatx"],
        ["a*b", "axb"],
        ["**", "below"],
      ]),
])("lets DuckDB read the file in %s, not the one in %s", async (folder = "", decoy = "") => {
  for (const name of [folder, decoy]) {
    await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, name, "log.csv"), `folder\n"${name}"\n`);
  }
  const path = sqlText(literalPath(join(root, folder, "log.csv")));
  expect((await duckdbRows(`SELECT folder FROM read_csv(${path})`)).rows).toEqual([[folder]]);
});
