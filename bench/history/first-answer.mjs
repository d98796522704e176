import { report } from "./data.mjs";

/**
 * Reads the history of a long log, answers the first question with each of its values, and reports time and memory of the
 * process.
 *
 * @param open gives the source, which is closed in the end
 */
export async function firstAnswer(open) {
  const started = performance.now();
  const source = await open();
  const history = await source.history({ semantic_type: "TRENCHES" });
  const table = history.asOf("2024-06-30");
  let values = 0;
  for (const name of history.columns) {
    const column = table.column(name);
    for (let row = 0; row < column.length; row += 1) if (column.at(row) !== null) values += 1;
  }
  const seconds = (performance.now() - started) / 1000;
  await source.close();
  const { user, system } = process.cpuUsage();
  report({
    changes: history.changeCount,
    features: table.numRows(),
    values,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
  });
}
