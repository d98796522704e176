/**
 * Reads a layer and shows it as a notebook does: `node first-table.mjs FOLDER|ADDRESS` reports the CPU time from the start to
 * the table, and to all values.
 */
import { connect, openSnapshot } from "../../modules/index.js";
import { toMimeBundle } from "../../modules/tables/display/to-mime-bundle.js";
import { report } from "../programs.mjs";

const place = process.argv[2];
const source = place.startsWith("http")
  ? connect({ baseUrl: place, apiKey: "k", showProgress: false })
  : await openSnapshot(place);
const layer = await source.layer({ site_id: 12 });
await toMimeBundle(layer);
const shown = cpuMs();
let values = 0;
for (const name of layer.table.columnNames()) {
  for (const value of layer.table.column(name)) values += value === null ? 0 : 1;
}
report({ cpuMs: shown, allCpuMs: cpuMs(), values });

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
