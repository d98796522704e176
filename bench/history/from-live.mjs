/** Reads a long log from the service and answers the first question: `node from-live.mjs ADDRESS`. */
import { connect } from "../../dist/index.js";
import { report } from "./data.mjs";

const started = performance.now();
const source = connect({ baseUrl: process.argv[2], apiKey: "bench", progress: false });
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
