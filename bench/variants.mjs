// What benches share that run each variant in a process of its own, some of them in Python.
import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the program at `path` sends: its figures. */
export function runProgram(path, args = []) {
  return new Promise((resolve, reject) => {
    const child = fork(path, args);
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${path} ended with ${code} before it told its figures`)));
  });
}

/** A Python that has `packageName`; undefined, which is printed, where there is none. */
export function findPython(packageName) {
  const found = process.env["PYTHON"] ?? "python3";
  if (spawnSync(found, ["-c", `import ${packageName}`]).status === 0) return found;
  console.log(
    `${packageName} is left out: ${found} with ${packageName} was not found (set PYTHON to one that has it).`,
  );
  return undefined;
}

/** What the Python program at `path` prints as JSON, given a folder that the program at `writer` has filled. */
export function runPython(python, writer, path) {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-bench-"));
  try {
    spawnSync(process.execPath, [writer, folder], { stdio: "inherit" });
    const { stdout } = spawnSync(python, [path, folder], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The figures of one variant: medians of its runs, the answers of the first. */
export function medianRun(runs) {
  const [first] = runs;
  if (!first) return undefined;
  const medians = (read) =>
    Object.fromEntries(Object.keys(read(first) ?? {}).map((key) => [key, median(runs.map((run) => read(run)[key]))]));
  return { ...first, ms: medians(({ ms }) => ms), detail: medians(({ detail }) => detail) };
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** With three digits. */
export function round(number) {
  return Number(number.toPrecision(3));
}
