/**
 * Compares kernels on one machine in one run: how fast, and what they can do. Kernels that are not installed are left
 * out: Deno is in DENO, in .cache/deno (`npm install deno` there), or on the path; ipykernel is in .venv. Figures are medians
 * of ROUNDS rounds, five by default, in which the kernels take turns; long cells and sessions are measured once. Behind a
 * slash stands the CPU time of the kernel and of all processes that it started. What is done is printed as it goes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { abilities } from "./abilities.mjs";
import { startKernel } from "./client.mjs";
import { kernels } from "./definitions.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
/** Cells that declare, of which the mean is taken, and how many names a long session has before them. */
const [declaring, many] = [20, 1000];
/** A kernel that takes longer for a cell that declares has no long session. */
const QUICK_MS = 15;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function memoryMb(pid) {
  const pids = tree(pid);
  const kilobytes = pids.map((each) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1000;
}

/** A process and all that its threads started. */
function tree(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const started = threads.flatMap((id) => readFileSync(`/proc/${pid}/task/${id}/children`, "utf8").split(" "));
  return [pid, ...started.filter(Boolean).flatMap((child) => tree(Number(child)))];
}

/** What a process and all that it started have computed, in milliseconds, by the clock of the system. */
function cpuMs(pid) {
  const ticks = tree(pid).map((each) => {
    const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ").at(-1).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

/** The wall time since `start`, and the CPU time that the kernel took meanwhile. */
function since(kernel, start, cpu) {
  return { wall: performance.now() - start, cpu: cpuMs(kernel.pid) - cpu };
}

async function speed({ argv, code }) {
  const kernel = await startKernel(argv);
  try {
    await kernel.ask("kernel_info_request");
    const info = since(kernel, kernel.started, 0);
    const first = await kernel.execute(code.one);
    const result = first.content.status === "ok" ? since(kernel, kernel.started, 0) : undefined;
    await pause(500);
    const idle = { wall: memoryMb(kernel.pid) };
    const again = [];
    for (let i = 0; i < 20; i++) again.push(await time(() => kernel.execute(code.one)));
    const completion = [];
    for (let i = 0; i < 6; i++) {
      completion.push(
        await time(() => kernel.ask("complete_request", { code: code.complete, cursor_pos: code.complete.length })),
      );
    }
    const [start, cpu] = [performance.now(), cpuMs(kernel.pid)];
    for (let n = 0; n < declaring; n++) await kernel.execute(code.declare(n));
    const all = since(kernel, start, cpu);
    await pause(500);
    return {
      info,
      result,
      idle,
      again: { wall: median(again) },
      declaring: { wall: all.wall / declaring, cpu: all.cpu / declaring },
      completion: { wall: median(completion.slice(1)) },
      memory: { wall: memoryMb(kernel.pid) },
    };
  } finally {
    await kernel.close();
  }
}

/** From the start of a kernel to the result of a first cell. */
async function firstResult({ argv }, cell) {
  if (cell === undefined) return undefined;
  const kernel = await startKernel(argv);
  try {
    await kernel.ask("kernel_info_request");
    const { content } = await kernel.execute(cell, { timeoutMs: 60_000 });
    return content.status === "ok" ? since(kernel, kernel.started, 0) : undefined;
  } finally {
    await kernel.close();
  }
}

/** A cell of ten thousand lines, and what one of one line takes after it. */
async function longCell({ argv, code }) {
  const kernel = await startKernel(argv);
  try {
    await kernel.execute(code.one);
    const [start, cpu] = [performance.now(), cpuMs(kernel.pid)];
    await kernel.execute(Array.from({ length: 10_000 }, (_, n) => code.line(n)).join("\n"), { timeoutMs: 60_000 });
    const long = since(kernel, start, cpu);
    const after = [];
    for (let n = 0; n < 20; n++) after.push(await time(() => kernel.execute(code.one)));
    return { long, afterLong: { wall: median(after) } };
  } finally {
    await kernel.close();
  }
}

/**
 * A notebook that has gone on for long: a loop that counts in a variable of an earlier cell, cells that declare, after a
 * thousand names, and the memory after all.
 */
async function longSession({ argv, code }) {
  const kernel = await startKernel(argv);
  try {
    await kernel.execute(code.start);
    const loops = [];
    for (let n = 0; n < 3; n++) loops.push(await time(() => kernel.execute(code.count, { timeoutMs: 60_000 })));
    const own = [];
    for (let n = 0; n < 3; n++) own.push(await time(() => kernel.execute(code.countOwn(n), { timeoutMs: 60_000 })));
    for (let n = 0; n < many; n++) await kernel.execute(code.declare(n));
    const [start, cpu] = [performance.now(), cpuMs(kernel.pid)];
    for (let n = many; n < many + declaring; n++) await kernel.execute(code.declare(n));
    const all = since(kernel, start, cpu);
    for (let n = many + declaring; n < 2 * many; n++) await kernel.execute(code.declare(n));
    const grown = { wall: memoryMb(kernel.pid) };
    const lateLoops = [];
    for (let n = 0; n < 3; n++) lateLoops.push(await time(() => kernel.execute(code.count, { timeoutMs: 60_000 })));
    return {
      loop: { wall: median(loops) },
      own: { wall: median(own) },
      lateLoop: { wall: median(lateLoops) },
      late: { wall: all.wall / declaring, cpu: all.cpu / declaring },
      grown,
    };
  } finally {
    await kernel.close();
  }
}

const begun = performance.now();
/** What is being done, with the seconds since the start: the whole takes minutes. */
const progress = (text) =>
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
const ms = (each) => (each ? `${each.wall.toFixed(each.wall < 100 ? 1 : 0)} ms` : "none");

const figures = new Map(kernels.map(({ name }) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const kernel of kernels) {
    const arquero = await firstResult(kernel, kernel.code.preloaded);
    const plot = await firstResult(kernel, kernel.code.plot);
    const quick = await speed(kernel);
    figures.get(kernel.name).push({ ...quick, arquero, plot });
    progress(
      `round ${round} of ${rounds}, ${kernel.name}: first result ${ms(quick.result)}, 1+1 ${ms(quick.again)}, a declaration ${ms(quick.declaring)}`,
    );
  }
}
// What one kernel may take a minute for is measured once: it is about how it grows, not about milliseconds.
const sessions = new Map();
for (const kernel of kernels) {
  const long = await longCell(kernel);
  progress(`${kernel.name}: a cell of 10,000 lines ${ms(long.long)}`);
  // Two thousand cells of a kernel that takes longer for each would be most of the whole comparison.
  const isQuick = median(figures.get(kernel.name).map((each) => each.declaring.wall)) < QUICK_MS;
  const session = isQuick ? await longSession(kernel) : {};
  if (isQuick) progress(`${kernel.name}: two thousand cells`);
  sessions.set(kernel.name, [{ ...long, ...session }]);
}
// No times are taken of what they can do, and most of it is waiting: two at a time.
const found = new Map();
const probed = kernels.values();
async function probe() {
  for (const kernel of probed) {
    found.set(kernel.name, await abilities(kernel));
    progress(`${kernel.name}: what it can do`);
  }
}
await Promise.all([probe(), probe()]);

const row = (label, cell) => console.log(`| ${[label, ...kernels.map(({ name }) => cell(name))].join(" | ")} |`);
const figure = (label, key, unit, digits = 0, among = figures) =>
  row(label, (name) => {
    const measured = among.get(name).map((each) => each[key]);
    if (measured.includes(undefined)) return "–";
    const text = (kind) => median(measured.map((each) => each[kind])).toFixed(digits);
    return measured[0].cpu === undefined ? `${text("wall")} ${unit}` : `${text("wall")} / ${text("cpu")} ${unit}`;
  });
row("", (name) => name);
row("---", () => "---");
for (const label of Object.keys(found.get("Siteframe"))) row(label, (name) => (found.get(name)[label] ? "yes" : "no"));
figure("start to kernel_info", "info", "ms");
figure("start to first result", "result", "ms");
figure("start to first result with Arquero", "arquero", "ms");
figure("start to first result with Plot", "plot", "ms");
figure("`1+1`", "again", "ms", 1);
figure("a cell that declares", "declaring", "ms", 1);
figure("a cell of 10,000 lines", "long", "ms", 0, sessions);
figure("`1+1` after it", "afterLong", "ms", 1, sessions);
figure("completion, after the first", "completion", "ms", 1);
figure("memory, idle after the first result", "idle", "MB");
figure("memory, after 40 cells and completions", "memory", "MB");
figure("30 million rounds of a loop over an earlier cell's variable", "loop", "ms", 0, sessions);
figure("the same over a variable of the same cell", "own", "ms", 0, sessions);
figure("the same over an earlier cell's, after 2,000 cells", "lateLoop", "ms", 0, sessions);
figure("a cell that declares, after 1,000", "late", "ms", 1, sessions);
figure("memory, after 2,000 cells", "grown", "MB", 0, sessions);
process.exit();
