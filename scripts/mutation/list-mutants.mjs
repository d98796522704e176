import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

/** Code for browsers, WebAssembly and other processes, which tests in the process do not run. */
const elsewhere = ["src/browser/", "src/tables/wasm/assembly/", "src/snapshot/sandbox-main.ts"];

/** Words of messages and of SQL: tests do not repeat them. */
export const excludedMutations = ["StringLiteral"];

const quiet = new Proxy({}, { get: () => () => false });

/**
 * All mutants of a folder of `src`, in the order of a seed. The position of a mutant depends on its own text only: after a
 * change of the code, a sample still has the same mutants, except those of changed lines.
 *
 * @param stryker folder in which Stryker is installed
 */
export async function listMutants(stryker, folder, seed) {
  const index = join(stryker, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js");
  const { Instrumenter } = await import(pathToFileURL(index).href);
  const names = filesIn(`src/${folder}`, ".ts").filter((file) => !elsewhere.some((path) => file.startsWith(path)));
  const texts = new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
  const files = names.map((name) => ({ name: join(root, name), mutate: true, content: texts.get(name) }));
  const options = { ignorers: [], plugins: null, excludedMutations };
  const { mutants } = await new Instrumenter(quiet).instrument(files, options);
  const counts = new Map();
  return mutants
    .filter(({ status }) => status === undefined)
    .map(({ fileName, location, replacement }) => {
      const file = relative(root, fileName).replaceAll("\\", "/");
      const { line, original } = textAt(texts.get(file), location);
      const key = JSON.stringify([file, line, original, replacement]);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      const order = createHash("sha256").update(`${seed}:${count}:${key}`).digest("hex");
      return { fileName, file, location, line, original, replacement, order };
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1));
}

/** Files in a folder of the project whose names end as given, with `/` on every system. */
export function filesIn(folder, end) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** Position and replacement of a mutant: what distinguishes it from all others. */
export function placeOf({ fileName, location: { start, end }, replacement }) {
  return [fileName, start.line, start.column, end.line, end.column, replacement].join(":");
}

/** The line in which a mutant begins, and the text that it replaces. */
function textAt(text, { start, end }) {
  const lines = text.split("\n").slice(start.line, end.line + 1);
  const line = lines[0].trim();
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  return { line, original: lines.join("\n") };
}
