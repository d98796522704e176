// Puts the scripts of frames into dist, shorter: they stand in every output.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync } from "rolldown/utils";

const from = join("src", "view", "frames");
const to = join("dist", "view", "frames");

mkdirSync(to, { recursive: true });
for (const file of readdirSync(from)) {
  const { code, errors } = minifySync(file, readFileSync(join(from, file), "utf8"), { module: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  writeFileSync(join(to, file), code);
}
