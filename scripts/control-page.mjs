// Puts the module of controls and its style into dist, shorter: they are in every output with a control.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync } from "rolldown/utils";

const page = join("notebook", "widget", "page");
mkdirSync(join("dist", page), { recursive: true });
for (const file of readdirSync(join("src", page))) {
  const [from, to] = [join("src", page, file), join("dist", page, file)];
  if (!file.endsWith(".js")) {
    copyFileSync(from, to);
    continue;
  }
  const { code, errors } = minifySync(file, readFileSync(from, "utf8"), { module: true });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  writeFileSync(to, code);
}
