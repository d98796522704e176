// Starts the programs that benches compare, each in a new process, some of them in Python.
import { fork, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const local = fileURLToPath(new URL("../.venv/bin/python", import.meta.url));
/** PYTHON, or that of `.venv`. */
export const python = process.env["PYTHON"] ?? (existsSync(local) ? local : "python3");

const found = new Map();

/** Whether Python has a package. A missing one is printed once. */
export function hasPackage(name) {
  if (!found.has(name)) {
    found.set(name, spawnSync(python, ["-c", `import ${name}`]).status === 0);
    if (!found.get(name)) console.log(`Without ${name}, which ${python} lacks. PYTHON names another.`);
  }
  return found.get(name);
}

/** Runs a program of this folder and returns the figures that it reports. */
export async function runProgram(path, args = []) {
  const child = fork(new URL(path, import.meta.url), args.map(String));
  return new Promise((resolve, reject) => {
    let figures;
    child.once("message", (message) => {
      figures = message;
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 && figures !== undefined ? resolve(figures) : reject(new Error(`${path} ended with ${code}.`)),
    );
  });
}

/** Runs a Python program of this folder and returns the JSON that it prints. */
export function runPython(path, args) {
  const program = fileURLToPath(new URL(path, import.meta.url));
  const { stdout, status } = spawnSync(python, [program, ...args.map(String)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${path} ended with ${status}.`);
  return JSON.parse(stdout);
}

/** Calls `use` with a new folder, and removes the folder. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends figures to the bench that started this process, or prints them if it was started by hand, and ends the process. */
export function report(figures) {
  if (process.send) return process.send(figures, () => process.exit());
  console.log(JSON.stringify(figures, null, 2));
  process.exit();
}

/** Fails if two programs gave different answers. */
export function assertEqual(question, one, other) {
  if (one !== other) throw new Error(`${question}: the answers differ (${one} and ${other}).`);
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
