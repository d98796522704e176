/** Writes the log and the table as raw arrays, for variants in other languages. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeLog } from "../history/data.mjs";
import { report } from "../programs.mjs";
import { makeTable } from "./data.mjs";

const folder = process.argv[2];
const { feature, key, value, timeUs } = makeLog();
const rows = makeTable();
const arrays = { feature, key, value, timeUs, rowFeature: rows.feature, rowUs: rows.us };
for (const [name, array] of Object.entries(arrays)) {
  writeFileSync(join(folder, `${name}.bin`), new Uint8Array(array.buffer));
}
report({ written: true });
