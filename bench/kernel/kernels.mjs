/**
 * Compares kernels on one machine in one run: how fast, and what they can do. Kernels that are not installed are left
 * out: Deno is `deno` on the path or in DENO; ipykernel is in .venv.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { engineFlags } from "../../dist/kernel/engine/engine-flags.js";
import { startKernel } from "./client.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const python = new URL("../../.venv/bin/python", import.meta.url).pathname;
const deno = process.env.DENO ?? "deno";
const local = (path) => new URL(`../../${path}`, import.meta.url).pathname;
const js = {
  one: "1+1",
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
};
const py = {
  ...js,
  wrong: "n: int = 'x'\nn",
  thrown: "raise ValueError('no')",
  loop: "while True: pass",
  lateLoop: "import asyncio; await asyncio.sleep(0.05)\nwhile True: pass",
  keep: "keep = 41",
  kept: "keep + 1",
  complete: "str.upp",
  inspect: "print",
  busy: "import time; end = time.time() + 2\nwhile time.time() < end: pass",
};

const kernels = [
  {
    name: "Siteframe",
    code: js,
    argv: (file) => [process.execPath, ...engineFlags, local("dist/kernel/kernel-main.js"), file],
  },
  {
    name: "tslab",
    code: js,
    bySignal: true,
    argv: (file) => [process.execPath, local("node_modules/tslab/bin/tslab"), "kernel", "--config-path", file],
  },
  {
    name: "Deno",
    code: js,
    argv: (file) => [deno, "jupyter", "--kernel", "--conn", file],
    present: runs(deno, "--version"),
  },
  {
    name: "ipykernel",
    code: py,
    bySignal: true,
    argv: (file) => [python, "-m", "ipykernel_launcher", "-f", file],
    present: existsSync(python) && runs(python, "-c", "import ipykernel"),
  },
].filter(({ present }) => present !== false);

function runs(program, ...args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function memoryMb(pid) {
  const pids = [pid, ...children(pid)];
  const kilobytes = pids.map((each) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1000;
}

function children(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

async function speed({ argv, code }) {
  const kernel = await startKernel(argv);
  try {
    await kernel.ask("kernel_info_request");
    const info = performance.now() - kernel.started;
    const first = await kernel.execute(code.one);
    const result = first.content.status === "ok" ? performance.now() - kernel.started : Number.NaN;
    const again = [];
    for (let i = 0; i < 20; i++) again.push(await time(() => kernel.execute(code.one)));
    const completion = [];
    for (let i = 0; i < 6; i++) {
      completion.push(
        await time(() => kernel.ask("complete_request", { code: code.complete, cursor_pos: code.complete.length })),
      );
    }
    await pause(500);
    return {
      info,
      result,
      again: median(again),
      completion: median(completion.slice(1)),
      memory: memoryMb(kernel.pid),
    };
  } finally {
    await kernel.close();
  }
}

async function abilities({ argv, code, bySignal }) {
  const kernel = await startKernel(argv);
  const types = (id) =>
    kernel.broadcasts.filter(({ parent }) => parent.msg_id === id).map(({ header }) => header.msg_type);
  const published = async (cell, type) => {
    const { id, content } = await kernel.execute(cell, { timeoutMs: 5000 });
    await pause(300);
    return { content, found: types(id).includes(type) };
  };
  const interrupted = async (loop) => {
    await kernel.execute(code.keep);
    const running = kernel.execute(loop, { timeoutMs: 4000 });
    await pause(400);
    if (bySignal) kernel.signal();
    else kernel.control("interrupt_request").catch(() => undefined);
    const { content } = await running;
    const kept = await kernel.execute(code.kept, { timeoutMs: 4000 });
    return content.status === "error" && kept.content.status === "ok";
  };
  const found = {};
  try {
    // Until the subscription to broadcasts has arrived.
    while (kernel.broadcasts.length === 0) {
      await kernel.ask("kernel_info_request");
      await pause(100);
    }
    found["sends results"] = (await published(code.one, "execute_result")).found;
    const error = await published(code.thrown, "error");
    found["sends errors"] = error.found && error.content.status === "error";
    found["runs cells after an error"] = (await published(code.one, "execute_result")).found;
    found["checks types before it runs"] = (await published(code.wrong, "error")).content.status === "error";
    const inspected = await kernel.ask("inspect_request", { code: code.inspect, cursor_pos: 3, detail_level: 0 });
    found["explains names"] = inspected.content.found === true;
    const busy = kernel.execute(code.busy);
    await pause(300);
    const answer = kernel.ask("complete_request", { code: code.complete, cursor_pos: code.complete.length });
    found["completes while busy"] = await Promise.race([answer.then(() => true), busy.then(() => false)]);
    await busy;
    found["a loop can be interrupted, variables stay"] = await interrupted(code.loop);
    found["so can a loop after await"] =
      found["a loop can be interrupted, variables stay"] && (await interrupted(code.lateLoop));
  } finally {
    await kernel.close();
  }
  return found;
}

const figures = new Map(kernels.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const kernel of kernels) figures.get(kernel.name).push(await speed(kernel));
}
const found = new Map();
for (const kernel of kernels) found.set(kernel.name, await abilities(kernel));

const row = (label, cell) => console.log(`| ${[label, ...kernels.map(({ name }) => cell(name))].join(" | ")} |`);
const figure = (label, key, unit, digits = 0) =>
  row(label, (name) => {
    const value = median(figures.get(name).map((each) => each[key]));
    return Number.isNaN(value) ? "–" : `${value.toFixed(digits)} ${unit}`;
  });
row("", (name) => name);
row("---", () => "---");
for (const label of Object.keys(found.get("Siteframe"))) row(label, (name) => (found.get(name)[label] ? "yes" : "no"));
figure("start to kernel_info", "info", "ms");
figure("start to first result", "result", "ms");
figure("`1+1`", "again", "ms", 1);
figure("completion, after the first", "completion", "ms", 1);
figure("memory, idle", "memory", "MB");
process.exit();
