// Puts the scripts of frames and the module of controls into dist, shorter: they stand in every output.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync } from "rolldown/utils";

const folders = [
  { path: join("tables", "display", "frames"), module: false },
  { path: join("notebook", "widget", "page"), module: true },
];

for (const { path, module } of folders) {
  const [from, to] = [join("src", path), join("dist", path)];
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    if (!file.endsWith(".js")) {
      copyFileSync(join(from, file), join(to, file));
      continue;
    }
    const { code, errors } = minifySync(file, readFileSync(join(from, file), "utf8"), { module });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    writeFileSync(join(to, file), code);
  }
}
