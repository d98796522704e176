/**
 * Siteframe's kernel against others, through Jupyter's protocol. Each kernel starts again in each run. The table of
 * abilities is made in the first run only.
 */
import { readdirSync, readFileSync } from "node:fs";
import { abilities } from "./kernel/abilities.mjs";
import { startKernel } from "./kernel/client.mjs";
import { kernels, missing } from "./kernel/definitions.mjs";
import { median } from "./programs.mjs";

/** Cells that declare, of which the mean is taken. */
const DECLARING = 20;
const LONG = { timeoutMs: 60_000 };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let table;

export async function run() {
  const figures = new Map();
  for (const kernel of kernels) figures.set(kernel.name, await speed(kernel));
  const { Siteframe: own, ...others } = Object.fromEntries(figures);
  const ratios = Object.entries(others).flatMap(([name, theirs]) =>
    Object.keys(own).map((question) => [`kernel: ${question}, ${name}`, theirs[question] / own[question]]),
  );
  table ??= await abilitiesTable();
  return { ratios: Object.fromEntries(ratios), table };
}

async function speed({ argv, code }) {
  const kernel = await startKernel(argv);
  try {
    await kernel.ask("kernel_info_request");
    const { content } = await kernel.execute(code.one, LONG);
    const first = performance.now() - kernel.started;
    const cpu = cpuMs(kernel.pid);
    if (content.status !== "ok") throw new Error(`The first cell failed: ${content.status}.`);
    const again = [];
    for (let n = 0; n < 20; n += 1) again.push(await time(() => kernel.execute(code.one)));
    const declaring = await time(async () => {
      for (let n = 0; n < DECLARING; n += 1) await kernel.execute(code.declare(n));
    });
    await pause(500);
    const memory = memoryKb(kernel.pid);
    await kernel.execute(code.start);
    const loop = await time(() => kernel.execute(code.count, LONG));
    const lines = Array.from({ length: 10_000 }, (_, n) => code.line(n)).join("\n");
    const long = await time(() => kernel.execute(lines, LONG));
    return {
      "first result": first,
      "CPU time of the first result": cpu,
      "1+1": median(again),
      "a cell that declares": declaring,
      memory,
      "a loop": loop,
      "a cell of 10,000 lines": long,
    };
  } finally {
    await kernel.close();
  }
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A process and all that its threads started. */
function tree(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const started = threads.flatMap((id) => readFileSync(`/proc/${pid}/task/${id}/children`, "utf8").split(" "));
  return [pid, ...started.filter(Boolean).flatMap((child) => tree(Number(child)))];
}

function memoryKb(pid) {
  return tree(pid)
    .map((each) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1] ?? 0))
    .reduce((sum, each) => sum + each, 0);
}

/** CPU time of a process and all that it started, by the clock of the system. */
function cpuMs(pid) {
  const ticks = tree(pid).map((each) => {
    const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ").at(-1).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

/** Markdown; undefined if a kernel is missing. */
async function abilitiesTable() {
  if (missing.length > 0) return undefined;
  const found = new Map();
  for (const kernel of kernels) found.set(kernel.name, await abilities(kernel));
  const names = [...found.keys()];
  const rows = Object.keys(found.get("Siteframe")).map((label) => [
    label,
    ...names.map((name) => (found.get(name)[label] ? "yes" : "no")),
  ]);
  return [["", ...names], ["---", ...names.map(() => "---")], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
