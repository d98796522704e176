/**
 * Compares kernels on one machine in one run: how fast, and what they can do. Kernels that are not installed are left
 * out: Deno is `deno` on the path or in DENO; ipykernel is in .venv.
 */
import { readFileSync } from "node:fs";
import { abilities } from "./abilities.mjs";
import { startKernel } from "./client.mjs";
import { kernels } from "./definitions.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
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
