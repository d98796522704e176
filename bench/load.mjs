/**
 * Reads pages into a layer, against what one would write by hand, Danfo and Python; shows the layer; reads a log in CSV.
 * Each variant runs in a new process. Loading modules does not count.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { csvLog } from "./load/csv-log.mjs";
import { hasPackage, runProgram, runPython } from "./programs.mjs";
import { share } from "./share.mjs";

export async function run() {
  return { ratios: { ...(await uniform()), ...(await mixed()), ...(await changes()), ...(await csv()) } };
}

async function uniform() {
  return await withPages("uniform", 200_000 * share, async (url, pages) => {
    const own = await runProgram("load/variant.mjs", ["layer()", url, pages]);
    const others = {};
    for (const name of ["JSON.parse", "aq.from", "Danfo"])
      others[name] = await runProgram("load/variant.mjs", [name, url, pages]);
    for (const name of ["pandas", "geopandas"])
      if (hasPackage(name)) others[name] = runPython("load/python_frames.py", [name, url, pages]);
    const ratios = Object.entries(others).flatMap(([name, { ms, rssMb }]) => [
      [`load: layer, ${name}`, ms / own.ms],
      [`load: memory of a layer, ${name}`, rssMb / own.rssMb],
    ]);
    return { ...Object.fromEntries(ratios), "load: showing a layer, reading it": own.cpuMs / own.shownCpuMs };
  });
}

async function mixed() {
  return await withPages("mixed", 200_000 * share, async (url, pages) => {
    const own = await runProgram("load/variant.mjs", ["layer()", url, pages]);
    const parsed = await runProgram("load/variant.mjs", ["JSON.parse", url, pages]);
    return { "load: layer of three shapes, JSON.parse": parsed.ms / own.ms };
  });
}

async function changes() {
  return await withPages("changes", 1_000_000 * share, async (url, pages) => {
    const own = await runProgram("load/variant.mjs", ["changes", url, pages]);
    const parsed = await runProgram("load/variant.mjs", ["JSON.parse", url, pages]);
    return { "load: changes, JSON.parse": parsed.ms / own.ms };
  });
}

async function csv() {
  const rows = 1_000_000 * share;
  const path = await csvLog(rows);
  const own = await runProgram("load/read-csv.mjs", ["siteframe", path, rows]);
  const duckdb = await runProgram("load/read-csv.mjs", ["duckdb", path, rows]);
  const ratios = { "load: CSV to the first as-of, DuckDB": duckdb.ms / own.ms };
  if (hasPackage("pandas")) {
    const pandas = runPython("load/read_csv.py", [path, rows]);
    ratios["load: CSV to the first as-of, pandas"] = pandas.ms / own.ms;
  }
  return ratios;
}

/** Serves pages of made-up records from a separate process. */
async function withPages(kind, count, use) {
  const program = fileURLToPath(new URL("load/server.mjs", import.meta.url));
  const server = spawn(process.execPath, [program, kind, String(count)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(server.stdout, "data");
    const { url, pages } = JSON.parse(String(line));
    return await use(url, pages);
  } finally {
    server.kill();
  }
}
