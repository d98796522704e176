// Bundles the modules of src as `rolldown.config.mjs` says. Files that have not changed stay untouched, and chunks of an older
// build are removed last, so that programs that run meanwhile find theirs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import config from "../rolldown.config.mjs";

const chunks = join("dist", "chunks");

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
for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
