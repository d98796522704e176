// Puts what Node runs of ours into few files, in dist/node: reading a file for each of our modules takes a third of an
// import. Bundlers go on reading modules, of which they take what is used; those become shorter. Programs keep their
// places, from where they load the chunks, so that whatever meets in one process has one copy of each module.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";

const folder = join("dist", "node");
/** The starts of what loads together. Those of a process or thread stand in one list. */
const starts = [
  ["index"],
  // What changes Arquero is loaded with it alone: `siteframe` loads neither before there is a table.
  ["arquero"],
  ["plot/index"],
  ["notebook/widget/index"],
  ["kernel/cells/cell-thread", "kernel/compiler/connect-compiler"],
  ["notebook/run/cell-process-main"],
  ["notebook/run/painter-main"],
  ["kernel/compiler/compiler-main"],
  ["kernel/engine/typescript/check/stale-folders"],
  ["snapshot/sandbox-main"],
  ["cli/main"],
];
/** What a program, or a cell, starts with, if asked: it is to load nothing that it does not need. */
const commands = [["cli/commands/run-command"], ["plot/figure/plot"], ["plot/png/render-png"]];
/** What `package.json` exports; all else has a place of its own. */
const library = ["index", "arquero", "plot/index", "notebook/widget/index"];
/** What no module of the library needs. */
const ofPrograms =
  /^(cli|kernel|notebook[\\/](file|run|widget[\\/]page)|service|vendor|node|tables[\\/]display[\\/]frames)[\\/]/;

const fileName = (entry) => (entry.endsWith("/index") ? entry.split("/").at(-2) : entry.replaceAll("/", "-"));

/** A module finds files and packages from the place that it has without chunks. */
const ownPlaces = {
  name: "own-places",
  transform(code, id) {
    if (!code.includes("import.meta.url")) return undefined;
    const place = relative("src", id).replaceAll(sep, "/").replace(/\.ts$/, ".js");
    return code.replaceAll("import.meta.url", `new URL("../${place}", import.meta.url).href`);
  },
};

/** For each module, which starts load it without being asked. */
function loadedBy(graph) {
  const found = new Map();
  for (const [start, entries] of [...starts, ...commands].entries()) {
    const seen = new Set();
    const visit = (id) => {
      const info = seen.has(id) ? undefined : graph.getModuleInfo(id);
      if (!info) return;
      seen.add(id);
      found.set(id, `${found.get(id) ?? ""}${start}`);
      info.importedIds.forEach(visit);
    };
    for (const entry of entries) visit(resolve("src", `${entry}.ts`));
  }
  return found;
}

let keys;
/** One chunk for each set of starts; what is loaded when it is asked for, rolldown divides. */
function chunkOf(id, graph) {
  keys ??= loadedBy(graph);
  return graph.getModuleInfo(id)?.isEntry ? null : (keys.get(id) ?? null);
}

async function makeChunks() {
  const bundle = await rolldown({
    input: Object.fromEntries(starts.flat().map((entry) => [fileName(entry), `src/${entry}.ts`])),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    transform: { target: "es2022" },
    // Arquero, Plot and all other packages stay the installed ones: users import them, too. What finds modules is six files
    // that a kernel reads before its first cell, and has no state.
    external: (id) => !/^(src|[./\0]|[A-Z]:|@oxc-project\/runtime|import-meta-resolve$)/.test(id),
    // Entries that only pass names on are given none by this.
    preserveEntrySignatures: "allow-extension",
    checks: { ineffectiveDynamicImport: false },
    plugins: [ownPlaces],
  });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "part-[name].js",
    comments: false,
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: "starts" }] },
  });
  await bundle.close();
  return output;
}

function writeIfNew(path, code) {
  if (existsSync(path) && readFileSync(path, "utf8") === code) return;
  writeFileSync(path, code);
}

function shortenModules() {
  for (const file of readdirSync("dist", { recursive: true })) {
    if (!file.endsWith(".js") || ofPrograms.test(file)) continue;
    const path = join("dist", file);
    const { code, errors } = minifySync(path, readFileSync(path, "utf8"), {
      module: true,
      mangle: { toplevel: false },
    });
    if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
    writeIfNew(path, code);
  }
}

const chunks = await makeChunks();
mkdirSync(folder, { recursive: true });
for (const { fileName: name, code } of chunks) writeIfNew(join(folder, name), code);
const names = new Set(chunks.map((chunk) => chunk.fileName));
for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name));
for (const entry of starts.flat().filter((each) => !library.includes(each))) {
  const chunk = posix.join(posix.relative(posix.dirname(entry), "node"), `${fileName(entry)}.js`);
  const shebang = entry.startsWith("cli/") ? "#!/usr/bin/env node\n" : "";
  writeIfNew(join("dist", `${entry}.js`), `${shebang}export * from "${chunk}";\n`);
}
shortenModules();
