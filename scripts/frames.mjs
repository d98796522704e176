// Puts the scripts of frames and the module of controls into dist, shorter: they stand in every output. Each script is
// bundled from modules that it shares with others and with the library.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";

const frames = join("tables", "display", "frames");
const scripts = ["chart", "map", "near-table", "far-table", "selection-line"];

rmSync(join("dist", frames), { recursive: true, force: true });
mkdirSync(join("dist", frames), { recursive: true });
for (const name of scripts) {
  const bundle = await rolldown({
    input: join("src", frames, `${name}.ts`),
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  const { output } = await bundle.generate({ format: "iife", minify: true });
  await bundle.close();
  writeFileSync(join("dist", frames, `${name}.js`), output[0].code.trim());
}

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
