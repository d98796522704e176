/** Writes the columns of the log as raw arrays, for variants in other languages. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "../programs.mjs";
import { makeLog, ONE_DATE } from "./data.mjs";

const folder = process.argv[2];
const { feature, key, value, timeUs } = makeLog();
for (const [name, array] of Object.entries({ feature, key, value, timeUs })) {
  writeFileSync(join(folder, `${name}.bin`), new Uint8Array(array.buffer));
}
writeFileSync(join(folder, "one-date.txt"), String(ONE_DATE * 1000));
report({ written: true });
