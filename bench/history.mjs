/**
 * Questions to a history of 2,000,000 changes, against DuckDB, pandas, and records grouped in objects. Each variant runs in
 * a new process, has its log prepared as it prefers, and answers each question several times. Ours reads every value.
 */
import { FEATURES } from "./history/data.mjs";
import { assertEqual, hasPackage, inFolder, runProgram, runPython } from "./programs.mjs";

export async function run() {
  const own = await runProgram("history/siteframe.mjs");
  const others = {
    DuckDB: await runProgram("history/duckdb.mjs"),
    objects: await runProgram("history/objects.mjs"),
    ...(hasPackage("pandas") ? { pandas: await pandas() } : {}),
  };
  const ratios = Object.entries(others).flatMap(([name, { ms, hash }]) =>
    Object.keys(ms).map((question) => {
      assertEqual(`history: ${question}, ${name}`, own.hash[question], hash[question]);
      return [`history: ${question}, ${name}`, ms[question] / own.ms[question]];
    }),
  );
  return { ratios: { ...Object.fromEntries(ratios), "history: bytes of a change": own.bytesOfChange } };
}

async function pandas() {
  return await inFolder(async (folder) => {
    await runProgram("history/write-columns.mjs", [folder]);
    return runPython("history/pandas_asof.py", [folder, FEATURES]);
  });
}
