/**
 * Questions about 3,000,000 changes, asked of the folder of a snapshot: by DuckDB with 512 MB, and by a history that first
 * reads the whole log. Each question is asked in a new process, from opening the folder to an answer whose every value was
 * read, and then once more for another date.
 */
import { assertEqual, runProgram } from "./programs.mjs";
import { share } from "./share.mjs";

const CHANGES = Math.round(3_000_000 * share);

export async function run() {
  const folder = await runProgram("scale/company-folder.mjs", [CHANGES]);
  const ratios = {};
  for (const question of ["asOf", "counts"]) {
    const engine = await runProgram("scale/ask.mjs", ["512MB", question, folder]);
    const history = await runProgram("scale/ask.mjs", ["history", question, folder]);
    assertEqual(`scale: ${question}`, engine.hash, history.hash);
    ratios[`scale: ${question}, DuckDB`] = engine.ms / history.ms;
    ratios[`scale: ${question} again, DuckDB`] = engine.againMs / history.againMs;
    ratios[`scale: memory of ${question}, DuckDB`] = engine.peakMb / history.peakMb;
  }
  return { ratios };
}
