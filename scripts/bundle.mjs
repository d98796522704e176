// Bundles the modules of src as `rolldown.config.mjs` says. Files that have not changed stay untouched, and files of an older
// build are removed last, so that programs that run meanwhile find theirs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { build } from "rolldown";
import config from "../rolldown.config.mjs";

/** Folders with modules of other scripts. */
const unbundled = [join("dist", "vendor"), join("dist", "notebook", "widget", "page")];

async function bundle(options) {
  const { output } = await build({ ...options, write: false });
  return output.map(({ fileName, code }) => {
    const path = join(options.output.dir, fileName);
    if (existsSync(path) && readFileSync(path, "utf8") === code) return path;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    return path;
  });
}

const written = new Set((await Promise.all(config.map(bundle))).flat());
for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  const path = join("dist", name);
  if (!/\.c?js$/.test(name) || written.has(path)) continue;
  if (!unbundled.some((folder) => path.startsWith(`${folder}${sep}`))) rmSync(path);
}
