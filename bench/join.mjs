/**
 * Point-in-time joins: 1,000,000 rows, each with the values of its feature at its time, from 2,000,000 changes, against
 * `join_asof` of polars and `ASOF JOIN` of DuckDB. Each variant runs in a new process, has its log prepared as it prefers, and
 * makes all values. Ours reads them from the columns.
 */
import { assertEqual, hasPackage, inFolder, runProgram, runPython } from "./programs.mjs";

export async function run() {
  const own = await runProgram("join/siteframe.mjs");
  const others = {
    DuckDB: await runProgram("join/duckdb.mjs"),
    ...(hasPackage("polars") ? { polars: await polars() } : {}),
  };
  const ratios = Object.entries(others).flatMap(([name, { ms, hash }]) =>
    Object.keys(own.ms).map((question) => {
      assertEqual(`join: ${question}, ${name}`, own.hash[question], hash[question]);
      return [`join: ${question}, ${name}`, ms[question] / own.ms[question]];
    }),
  );
  return { ratios: Object.fromEntries(ratios) };
}

async function polars() {
  return await inFolder(async (folder) => {
    await runProgram("join/write-columns.mjs", [folder]);
    return runPython("join/polars_asof.py", [folder]);
  });
}
