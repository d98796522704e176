// Attacks each entry point with random structured inputs: `npm run attack -- [--seconds 60] [--seed N] [--entry pages,mcp]
// [--case N|NAME]`. Former faults come first. It fails if a process ends, answers nothing or no typed error, takes more than
// 5 s for a case, needs more than 512 MB above its idle memory, or if a canary appears in a message. Build first.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { findCanary } from "./attack/canary.mjs";
import { isMeasured, peakMegabytes, resetPeak, usedMegabytes } from "./attack/memory.mjs";

const SLOW_MS = 5000;
const SILENT_MS = 20_000;
const MOST_MEGABYTES = 512;
/** Inputs that are kept of findings of one kind. */
const MOST_KEPT = 3;
/** Cases that one call of fast-check draws: later ones are larger. */
const BATCH = 50;

const names = [
  ...["pages", "logs", "snapshots", "kernel", "lsp", "debugger", "mcp", "pictures", "notebooks", "calendars", "trino"],
];
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    entry: { type: "string" },
    case: { type: "string" },
  },
});
const seconds = Number(options.seconds);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
const chosen = options.entry === undefined ? names : options.entry.split(",");
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`Unknown entry point: ${unknown}. Choose from: ${names.join(", ")}`);

const out = join(import.meta.dirname, "../out/attack");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
console.log(`Seed: ${seed}. Repeat: npm run attack -- --seed ${seed}`);
if (!isMeasured) console.log("Memory is measured on Linux only.");

let failed = 0;
for (const name of chosen) {
  const found = await attackEntry(name);
  failed += found.length;
}
console.log(failed === 0 ? "No findings." : `${failed} findings. Their inputs are in out/attack.`);
process.exit(failed === 0 ? 0 : 1);

/** Runs cases against an entry point for the given time. @returns its findings, one of each kind */
async function attackEntry(name) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `attack-${name}-`));
  const entry = await (await import(`./attack/entries/${name}.mjs`)).prepare(folder);
  const state = {
    name,
    entry,
    target: undefined,
    idle: 0,
    findings: new Map(),
    count: 0,
    peak: 0,
    slowest: 0,
    slowestId: "",
  };
  const until = performance.now() + 1000 * seconds;
  try {
    for (const { id, input } of casesOf(entry)) {
      // Former faults are tried even if they take all the time.
      if (performance.now() > until && !id.startsWith("former")) break;
      await runCase(state, id, input);
    }
  } finally {
    await state.target?.stop();
    await entry.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
  const { count, peak, slowest, slowestId, findings } = state;
  const memory = `${Math.round(peak)} MB above idle`;
  console.log(`${name}: ${count} cases, at most ${memory}, slowest ${Math.round(slowest)} ms (${slowestId})`);
  for (const { count: times, id, problem } of findings.values())
    console.log(`  ${times} × ${problem}\n      first: case ${id}`);
  return [...findings.values()];
}

/** Former faults by name, then random cases by number. */
function* casesOf({ corpus, arbitrary }) {
  const wanted = options.case;
  if (wanted === undefined || wanted.startsWith("former")) {
    for (const { name, input } of corpus)
      if (wanted === undefined || wanted === `former: ${name}`) yield { id: `former: ${name}`, input };
    if (wanted !== undefined) return;
  }
  if (wanted !== undefined) {
    const number = Number(wanted);
    yield { id: wanted, input: batch(arbitrary, Math.floor(number / BATCH))[number % BATCH] };
    return;
  }
  for (let number = 0; ; number += BATCH) {
    for (const [index, input] of batch(arbitrary, number / BATCH).entries())
      yield { id: String(number + index), input };
  }
}

function batch(arbitrary, index) {
  return fc.sample(arbitrary, { seed: seed + index, numRuns: BATCH });
}

/** Runs a case. Slow cases and cases that need much memory are run again in a new process: other programs may have kept the cores busy. */
async function runCase(state, id, input) {
  let tried = await tryCase(state, input);
  if (tried.isLimit) {
    await restart(state);
    tried = await tryCase(state, input);
  }
  state.count += 1;
  if (tried.ms > state.slowest) Object.assign(state, { slowest: tried.ms, slowestId: id });
  state.peak = Math.max(state.peak, tried.megabytes);
  for (const problem of tried.problems) note(state, id, input, problem);
  if (tried.isBroken) await restart(state);
}

async function restart(state) {
  await state.target?.stop();
  state.target = undefined;
}

/** Sends a case to the process and looks at what comes back. */
async function tryCase(state, input) {
  if (!state.target) {
    state.target = await state.entry.start();
    state.idle = usedMegabytes(state.target.pid);
  }
  const { target, entry } = state;
  resetPeak(target.pid);
  const started = performance.now();
  let timer;
  const silent = new Promise((resolve) => {
    timer = setTimeout(resolve, SILENT_MS, { end: `no answer in ${SILENT_MS / 1000} s` });
  });
  const ended = target.ended.then((end) => ({ end }));
  const outcome = await Promise.race([target.ask(input), silent, ended]);
  clearTimeout(timer);
  const ms = performance.now() - started;
  const megabytes = peakMegabytes(target.pid) - state.idle;
  const output = target.output.take();
  const { end, problems = [], messages = [] } = outcome ?? {};
  const all = [...problems];
  if (end) all.push(`${end}${output === "" ? "" : `: ${output.trim().slice(0, 1000)}`}`);
  const typed = entry.typed?.(input);
  for (const text of [...messages, output]) {
    const leak = findCanary(text, typed);
    if (leak !== undefined) all.push(`canary: ${leak}`);
  }
  const isSlow = !end && ms > SLOW_MS;
  const isLarge = !end && megabytes > MOST_MEGABYTES;
  if (isSlow) all.push(`took ${Math.round(ms)} ms`);
  if (isLarge) all.push(`needed ${Math.round(megabytes)} MB above idle`);
  return {
    ms,
    megabytes: end ? 0 : megabytes,
    problems: all,
    isLimit: isSlow || isLarge,
    isBroken: end !== undefined || isSlow || isLarge,
  };
}

/** Keeps a finding, and the input of the first of its kind. */
function note({ name, findings }, id, input, problem) {
  const kind = problem
    .split("\n")[0]
    .replaceAll(/[\d.]+/g, "#")
    .slice(0, 120);
  const finding = findings.get(kind) ?? { count: 0, id, problem: problem.slice(0, 400) };
  finding.count += 1;
  findings.set(kind, finding);
  if (finding.count > MOST_KEPT) return;
  const file = join(out, `${name}-${id.replaceAll(/\W+/g, "-")}`);
  const binary = Object.entries(input).filter(([, value]) => value instanceof Uint8Array);
  for (const [key, bytes] of binary) writeFileSync(`${file}-${key}.bin`, bytes);
  const shown = { ...input, ...Object.fromEntries(binary.map(([key]) => [key, `${name}-${key}.bin`])) };
  const repeat = `npm run attack -- --entry ${name} --seed ${seed} --case ${JSON.stringify(id)}`;
  writeFileSync(`${file}.json`, JSON.stringify({ repeat, problem, input: shown }, null, 1));
}
