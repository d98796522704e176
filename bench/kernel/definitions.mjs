/** The kernels that are compared, and the same cells in the words of each. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { engineFlags } from "../../modules/kernel/engine/cell/engine-name.js";
import { hasPackage, python } from "../programs.mjs";

const local = (path) => new URL(`../../${path}`, import.meta.url).pathname;
/** The program that `npm install --prefix .cache/deno deno` installs, without the script that starts it. */
const deno = process.env.DENO ?? programIn(local(".cache/deno/node_modules/@deno")) ?? "deno";
const siteframe = (file, ...options) => [
  ...[process.execPath, ...engineFlags, local("dist/kernel/kernel-main.js"), file],
  ...options,
];
const js = {
  one: "1+1",
  start: "let total = 0;",
  count: "for (let i = 0; i < 3e7; i++) total += i; total",
  declare: (n) => `const v${n} = { n: ${n} }; function f${n}(x: number) { return x + v${n}.n; }`,
  line: (n) => `const line${n} = ${n} * 2;`,
  text: "'a'",
  wrong: "const n: number = 'x'; n",
  thrown: "throw new Error('no')",
  loop: "while (true) {}",
  lateLoop: "await new Promise((done) => setTimeout(done, 50)); while (true) {}",
  keep: "globalThis.keep = 41",
  kept: "globalThis.keep + 1",
  complete: "JSON.str",
  inspect: "console",
  busy: "const end = Date.now() + 2000; while (Date.now() < end);",
  input: "await input('?')",
  replace: "display(1, { id: 'd' }); display(2, { id: 'd', update: true });",
  file: "helper.ts",
  fileText: (n) => `export const n: number = ${n};`,
  import: 'import { n } from "./helper.ts"; n',
};
/** `undefined`: not possible, by the documentation of the kernel. */
const tslabJs = {
  ...js,
  input: undefined,
  replace: undefined,
  import: 'import { n } from "./helper"; n',
};
const denoJs = {
  ...js,
  input: "prompt('?')",
  replace:
    "await Deno.jupyter.broadcast('update_display_data', { data: { 'text/plain': '2' }, metadata: {}, transient: { display_id: 'd' } })",
  import: '(await import("./helper.ts")).n',
};
const py = {
  ...js,
  start: "total = 0",
  count: "for i in range(30_000_000): total += i\ntotal",
  line: (n) => `line${n} = ${n} * 2`,
  declare: (n) => `v${n} = { "n": ${n} }\ndef f${n}(x): return x + v${n}["n"]`,
  wrong: "n: int = 'x'\nn",
  thrown: "raise ValueError('no')",
  loop: "while True: pass",
  lateLoop: "import asyncio\nawait asyncio.sleep(0.05)\nwhile True: pass",
  keep: "keep = 41",
  kept: "keep + 1",
  complete: "str.upp",
  inspect: "print",
  busy: "import time; end = time.time() + 2\nwhile time.time() < end: pass",
  input: "input('?')",
  replace: "from IPython.display import display\nh = display(1, display_id='d')\nh.update(2)",
  file: "helper.py",
  fileText: (n) => `n = ${n}\n`,
  import: "%load_ext autoreload\n%autoreload 2\nimport helper\nhelper.n",
};

const all = [
  {
    name: "Siteframe",
    code: js,
    argv: (file) => siteframe(file),
  },
  {
    name: "Siteframe on tslab",
    code: js,
    argv: (file) => siteframe(file, "--engine", "tslab"),
    present: existsSync(local("node_modules/tslab")),
  },
  {
    name: "tslab",
    code: tslabJs,
    bySignal: true,
    argv: (file) => [process.execPath, local("node_modules/tslab/bin/tslab"), "kernel", "--config-path", file],
    present: existsSync(local("node_modules/tslab")),
  },
  {
    name: "Deno",
    code: denoJs,
    argv: (file) => [deno, "jupyter", "--kernel", "--conn", file],
    present: runs(deno, "--version"),
  },
  {
    name: "ipykernel",
    code: py,
    bySignal: true,
    argv: (file) => [python, "-m", "ipykernel_launcher", "-f", file],
    present: hasPackage("ipykernel"),
  },
];
export const kernels = all.filter(({ present }) => present !== false);
export const missing = all.filter(({ present }) => present === false).map(({ name }) => name);
for (const name of missing) console.log(`Without the kernel ${name}, which is not installed.`);

function programIn(folder) {
  const platforms = existsSync(folder) ? readdirSync(folder) : [];
  return platforms.map((platform) => join(folder, platform, "deno")).find((file) => existsSync(file));
}

function runs(program, ...args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
