import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pull } from "../../src/snapshot/pull.js";
import { writeDuckLake } from "../../src/snapshot/write-ducklake.js";
import { connect } from "../../src/source/connect.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findPython } from "../support/python.js";
import { startSampleService } from "../support/sample-service.js";
import { blocksOf } from "./documents.js";

const python = findPython("duckdb,duckdb_extension_ducklake,duckdb_extension_spatial,geopandas,pandas,polars,pyarrow");
const folder = temporaryFolder();

/** Extensions come from wheels instead of downloads. */
const FETCHED = "INSTALL spatial; LOAD spatial; ";
const extensions = `
import importlib.util, pathlib, duckdb
def _connected(connect=duckdb.connect):
    con = connect(config={"allow_unsigned_extensions": True})
    for name in ("ducklake", "spatial"):
        found = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
        con.execute(f"LOAD '{next(found.glob(f'extensions/*/{name}.duckdb_extension'))}'")
    return con
duckdb.connect = _connected
`;

const checks = `
assert len(trenches) > 0 and trenches["STATUS"].notna().any()
assert set(states["state"]) <= {"logged", "cleared", "unchanged", "unknown", "absent"}
assert open_items["open"].max() > 0 and open_items.index.is_monotonic_increasing
assert len(joined) == len(visits) > 0 and joined["status"].notna().any()
for day in visits["visited"].unique():
    at = con.execute("SELECT id, STATUS AS expected FROM TRENCHES_AT($day)", {"day": day.to_pydatetime()}).df()
    both = joined[joined["visited"] == day].merge(at, on="id", how="left")
    assert (both["status"].fillna("") == both["expected"].fillna("")).all()
assert 0 < len(known) <= len(trenches)
assert len(durations) > 1 and len(log) > len(places) > 0
assert 20 < areas["area_m2"].mean() < 1000
assert places.geometry.notna().any() and str(places.crs) == "OGC:CRS84"
print("all well")
`;

it.skipIf(!python)("the pages for Python run as they are written", async () => {
  const service = await startSampleService();
  const path = join(folder, "acme.snapshot");
  try {
    const source = connect({ baseUrl: service.url, apiKey: service.apiKey });
    await pull(source, path, { showProgress: false });
    await source.close();
  } finally {
    await service.close();
  }
  await writeDuckLake(path);
  const pages = ["connect-pandas", "read-parquet-files"].map((name) => `docs/how-to/${name}.md`);
  const blocks = pages.flatMap((page) => blocksOf(page, "python"));
  expect(blocks.length).toBeGreaterThan(6);
  const program = [extensions, ...blocks.map((code) => code.replace(FETCHED, "")), checks].join("\n");
  const ended = spawnSync(python?.program as string, ["-c", program], {
    cwd: folder,
    env: python?.env,
    encoding: "utf8",
  });
  expect(ended.stdout.trim().split("\n").at(-1) || ended.stderr).toBe("all well");
});
