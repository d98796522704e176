// Packs the package, installs it as users do, without our overrides and without danfo, and uses it there: next to the newest
// TypeScript, by npx alone, then without optional packages. The newest and the oldest supported TypeScript check its types;
// with --all-compilers, those between do, too. The size of an installation has limits.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startKernel } from "../bench/kernel/client.mjs";
import { folderSize } from "./package/folder-size.mjs";

/** A little above what is reached on Linux x64, in megabytes of files, so that nothing heavy comes in unseen. */
const limits = { tarball: 3.1, install: 133, packages: 100, withoutOptional: 25 };

const work = mkdtempSync(join(tmpdir(), "siteframe-package-"));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const install = (folder, ...words) =>
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...words], folder);
const siteframe = (folder, ...words) =>
  spawnSync(join(folder, "node_modules", ".bin", "siteframe"), words, { encoding: "utf8" });

function assert(holds, complaint) {
  if (!holds) throw new Error(complaint);
}

const program = `
import { createRequire } from "node:module";
import { ArgumentError, connect, fromRecords } from "siteframe";
import { aq } from "siteframe/arquero";
const table = await fromRecords({}).sites();
if (table.numRows() !== 0) throw new Error("sites() of no records has rows");
if (!(table instanceof aq.ColumnTable)) throw new Error("siteframe/arquero is another Arquero than that of tables");
try {
  connect({ baseUrl: "http://127.0.0.1:1" });
  throw new Error("connect() without a key did not throw");
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
}
const { plot, Plot, toPNG } = await import("siteframe/plot");
const figure = plot({ marks: [Plot.ruleX([0])] });
if (!String(figure.outerHTML).includes("<svg")) throw new Error("no plot");
if ((await toPNG(figure))[1] !== 0x50) throw new Error("no PNG");
if (createRequire(import.meta.url)("siteframe").connect !== connect) throw new Error("require() gives another module");
`;

const sql = `
import { fromRecords } from "siteframe";
const layer = await fromRecords({}).layer({ site_id: 1 });
console.log((await layer.sql("SELECT 42 AS n")).get("n", 0));
`;

/** Makes an empty project in which a program can be run. */
function project(name) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  writeFileSync(join(folder, "use.mjs"), program);
  writeFileSync(join(folder, "sql.mjs"), sql);
  return folder;
}

/** Makes a notebook of cells. */
function notebook(name, ...sources) {
  const cells = sources.map((source) => ({
    ...{ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source },
  }));
  const path = join(work, name);
  writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 4, metadata: {}, cells }));
  return path;
}

/** Nothing of an older build, nothing that only we need, and a licence for whatever others have written. */
function checkFiles(paths) {
  const own = paths.filter((path) => /^dist\/(?!vendor\/|chunks\/).*\.js$/.test(path));
  assert(own.length > 10, `only ${own.length} entry points and programs are in the package`);
  assert(!paths.some((path) => path.includes("tsbuildinfo")), "the compiler's notes are in the package");
  const unused = paths.filter((path) => /\.(map|(umd|min)\.m?js)$/.test(path) && !path.endsWith("/arquero.min.js"));
  assert(unused.length === 0, `scripts/slim-packages.mjs leaves ${unused.join(", ")}`);
  for (const folder of readdirSync("dist/vendor")) {
    const licence = paths.some((path) => path.startsWith(`dist/vendor/${folder}/LICENSE`));
    assert(licence, `dist/vendor/${folder} has no licence`);
  }
}

/** Names of the commands in a project. */
function commands(folder) {
  const bin = join(folder, "node_modules", ".bin");
  return Object.fromEntries(readdirSync(bin).map((name) => [name, realpathSync(join(bin, name))]));
}

/** A user's project keeps its compiler, and gets one command: ours. */
function checkBesideTypeScript(tarball) {
  const folder = project("beside");
  install(folder, "typescript@latest");
  const before = commands(folder);
  const tsc = () => run("npx", ["--no-install", "tsc", "-v"], folder);
  const version = tsc();
  install(folder, tarball);
  const { siteframe: ours, ...others } = commands(folder);
  assert(ours, "the command siteframe is missing");
  assert(
    JSON.stringify(others) === JSON.stringify(before),
    `other commands than siteframe were installed or replaced: ${JSON.stringify(others)}`,
  );
  assert(tsc() === version, `tsc was ${version.trim()} and is ${tsc().trim()}`);
  run(process.execPath, ["use.mjs"], folder);
  assert(run(process.execPath, ["sql.mjs"], folder) === "42\n", "SQL does not work");
  assert(siteframe(folder, "openapi").status === 0, "siteframe openapi fails");
  return folder;
}

/** The oldest TypeScript that finds no errors in Siteframe's types and bundled types, and newer versions. */
const [oldestCompiler, ...laterCompilers] = ["5.6", "5.9", "6", "7"];

/** How Node and bundlers find the types of a package. */
const resolutions = [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];

const allTypes = ["siteframe", "siteframe/arquero", "siteframe/plot", "siteframe/widget"].map(
  (name, index) => `export * as part${index} from "${name}";`,
);

/** Checks the program at the top of the README and all exports, with the types of packages checked too. */
async function checkTypes(folder) {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8")) ?? [];
  assert(program?.includes("asOf("), "the README begins with another program");
  writeFileSync(join(folder, "readme.ts"), program);
  writeFileSync(join(folder, "all.ts"), allTypes.join("\n"));
  const compile = async ([version, path]) => {
    const tsc = join(path, "bin", "tsc");
    const words = ["readme.ts", "all.ts", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022"];
    for (const [module, resolution] of resolutions) {
      const modules = ["--module", module, "--moduleResolution", resolution];
      await promisify(execFile)(process.execPath, [tsc, ...words, ...modules], { cwd: folder }).catch(({ stdout }) => {
        throw new Error(`TypeScript ${version} with ${resolution} finds errors in our types:\n${stdout}`);
      });
    }
  };
  const newest = ["latest", join(folder, "node_modules", "typescript")];
  const later = process.argv.includes("--all-compilers") ? laterCompilers : [];
  await Promise.all([newest, ...installCompilers([oldestCompiler, ...later])].map(compile));
}

/** Installs versions of TypeScript next to each other. */
function installCompilers(compilers) {
  const versions = join(work, "compilers");
  mkdirSync(versions);
  const packages = compilers.map((version) => `typescript-${version}@npm:typescript@${version}`);
  install(versions, "--prefix", versions, ...packages);
  return compilers.map((version) => [version, join(versions, "node_modules", `typescript-${version}`)]);
}

/** The command works in an empty folder, without an installation. npx removes its temporary installation. */
function checkNpx(tarball) {
  const [folder, cache] = [join(work, "npx"), join(work, "npx-cache")];
  for (const each of [folder, cache]) mkdirSync(each);
  const shared = join(run("npm", ["config", "get", "cache"], folder).trim(), "_cacache");
  if (existsSync(shared)) symlinkSync(shared, join(cache, "_cacache"), "junction");
  const printed = run("npx", ["--yes", "--cache", cache, `file:${tarball}`, "openapi"], folder);
  assert(JSON.parse(printed).openapi === "3.1.0", `npx siteframe openapi prints ${printed.slice(0, 200)}`);
  assert(readdirSync(folder).length === 0, "npx siteframe openapi leaves files");
}

function packageCount(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  return Object.keys(packages).length;
}

/** Types of Siteframe's packages must be found from a folder that has none. */
function checkTypesElsewhere(folder) {
  const elsewhere = join(work, "elsewhere");
  mkdirSync(elsewhere);
  const makes = "const sites = aq.table({ site: ['a'] });\nconst figure = Plot.dot([]).plot();";
  const { stderr } = siteframe(folder, "run", notebook("elsewhere/typed.ipynb", makes, "sites.filtre()"));
  const complaint = "Property 'filtre' does not exist on type 'ColumnTable'";
  assert(stderr.includes(complaint), `what aq.table makes has no type outside the project: ${stderr}`);
}

/** The other engine says which package it needs, and works with it. */
function checkTslab(folder) {
  const words = ["run", "--engine", "tslab", notebook("tslab.ipynb", "1 + 1")];
  const { status, stderr } = siteframe(folder, ...words);
  const [, needed] = /npm install (tslab@\d+)/.exec(stderr) ?? [];
  assert(status === 1 && needed, `siteframe run --engine tslab does not name the missing package: ${stderr}`);
  install(folder, needed);
  const ran = siteframe(folder, ...words);
  assert(ran.status === 0, `siteframe run --engine tslab fails: ${ran.stderr}`);
}

/** The kernel says which package it needs, and works with it. */
async function checkKernel(folder) {
  const words = ["kernel", "install", "--prefix", join(work, "jupyter")];
  const { status, stderr } = siteframe(folder, ...words);
  const [, needed] = /npm install (zeromq[@\d.]+)/.exec(stderr) ?? [];
  assert(status === 1 && needed, `siteframe kernel install does not name the missing package: ${stderr}`);
  const main = join(folder, "node_modules", "siteframe", "dist", "kernel", "kernel-main.js");
  const connection = join(work, "connection.json");
  const ports = ["shell", "iopub", "stdin", "control", "hb"].map((name, index) => [`${name}_port`, 1024 + index]);
  writeFileSync(
    connection,
    JSON.stringify({ transport: "tcp", ip: "127.0.0.1", key: "", ...Object.fromEntries(ports) }),
  );
  const died = spawnSync(process.execPath, [main, connection], { encoding: "utf8" });
  assert(died.status === 1 && died.stderr.includes(needed), `a kernel without zeromq says: ${died.stderr}`);
  install(folder, needed);
  const installed = siteframe(folder, ...words);
  assert(installed.status === 0, `siteframe kernel install fails: ${installed.stderr}`);
  const spec = join(work, "jupyter", "share", "jupyter", "kernels", "siteframe", "kernel.json");
  const { argv } = JSON.parse(readFileSync(spec, "utf8"));
  const kernel = await startKernel((file) => argv.map((word) => word.replace("{connection_file}", file)));
  try {
    const { content } = await kernel.execute("const n: number = 1; n + 1", { timeoutMs: 60_000 });
    assert(content.status === "ok", `the kernel answers ${JSON.stringify(content)}`);
  } finally {
    await kernel.close();
  }
}

/** The least that a user of the library must take, and then all of it. */
function checkWithoutOptional(tarball) {
  const folder = project("least");
  const cell = notebook("least.ipynb", "1 + 1");
  install(folder, "--omit=optional", tarball);
  const withoutOptional = folderSize(folder);
  run(process.execPath, ["use.mjs"], folder);
  const { stderr } = spawnSync(process.execPath, ["sql.mjs"], { cwd: folder, encoding: "utf8" });
  assert(stderr.includes("DependencyError") && stderr.includes("--include=optional"), `no word of DuckDB: ${stderr}`);
  const { status, stderr: complaint } = siteframe(folder, "run", cell);
  assert(status === 1 && complaint.includes("--include=optional"), `no word of the compiler: ${complaint}`);
  install(folder, "--include=optional", tarball);
  assert(run(process.execPath, ["sql.mjs"], folder) === "42\n", "what was left out cannot be added");
  assert(siteframe(folder, "run", cell).status === 0, "the compiler that was left out cannot be added");
  return { withoutOptional, install: folderSize(folder), packages: packageCount(folder) };
}

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", work], process.cwd()));
  const { filename, size, files } = packed;
  checkFiles(files.map(({ path }) => path));
  const tarball = join(work, filename);
  run("npx", ["publint", "run", "--strict", tarball], process.cwd());
  const folder = checkBesideTypeScript(tarball);
  await checkTypes(folder);
  checkTypesElsewhere(folder);
  checkNpx(tarball);
  await checkKernel(folder);
  checkTslab(folder);
  const reached = { tarball: size / 1e6, ...checkWithoutOptional(tarball) };
  console.log(`${filename} installs and works. It takes, of the limits:`);
  for (const [name, limit] of Object.entries(limits)) console.log(`  ${name}: ${reached[name].toFixed(1)} of ${limit}`);
  for (const [name, limit] of Object.entries(limits)) assert(reached[name] <= limit, `${name} is above ${limit}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
