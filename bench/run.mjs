/**
 * Measures ratios: `npm run bench [-- NAME…]`. Each run makes all benches, one after the other; the median of the runs counts.
 * The results are written to `out/bench/results.json`.
 *
 * --runs 5      number of runs
 * --share 0.01  share of the data, for a quick look
 * --check       fails if a ratio in the README or the docs differs by more than 25 % from its median
 * --write       keeps the results in `bench/results.json`, and puts the medians into the texts
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { median } from "./programs.mjs";
import { rounded, statedRatios } from "./stated.mjs";

const ALL = ["load", "history", "join", "snapshot", "scale", "kernel", "first-answer"];
const TOLERANCE = 0.25;
const root = new URL("../", import.meta.url);
const kept = new URL("results.json", import.meta.url);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    share: { type: "string", default: "1" },
    check: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const names = positionals.length > 0 ? positionals : ALL;
const unknown = names.filter((name) => !ALL.includes(name));
if (unknown.length > 0) throw new Error(`Unknown bench: ${unknown.join(", ")}. Choose from: ${ALL.join(", ")}.`);
if (options.write && (options.share !== "1" || options.runs !== "5"))
  throw new Error("--write needs five runs of all the data.");
process.env["SITEFRAME_BENCH_SHARE"] = options.share;
// Texts that are not in their files stop the bench before it takes its time.
const stated = statedRatios(root).filter(({ name }) => names.includes(benchOf(name)));

const results = await measured();
const ratios = Object.assign({}, ...Object.values(results).map((result) => result.ratios));
printRatios(ratios);
for (const { table } of Object.values(results)) if (table) console.log(`\n${table}`);
mkdirSync(new URL("out/bench/", root), { recursive: true });
write(new URL("out/bench/results.json", root), results);
if (options.check || options.write) {
  const missing = stated.filter(({ name }) => !(name in ratios));
  if (missing.length > 0)
    fail(missing.map(({ file, name }) => `${file} states a ratio that was not measured: ${name}`));
}
if (options.check) check();
if (options.write && !process.exitCode) keep();
process.exit();

async function measured() {
  const benches = new Map();
  for (const name of names) benches.set(name, (await import(`./${name}.mjs`)).run);
  const runs = new Map(names.map((name) => [name, []]));
  for (let run = 1; run <= Number(options.runs); run += 1) {
    for (const [name, bench] of benches) {
      const start = performance.now();
      runs.get(name).push(await bench());
      console.error(`Run ${run} of ${options.runs}, ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
    }
  }
  return Object.fromEntries([...runs].map(([name, each]) => [name, resultOf(each)]));
}

function resultOf(runs) {
  const [first] = runs;
  const figures = Object.keys(first.ratios).map((name) => {
    const all = runs.map((run) => Number(run.ratios[name].toPrecision(4)));
    return [name, { median: median(all), runs: all }];
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { cores: cpus().length, memoryGB: Math.round(totalmem() / 1e9), node: process.version },
    share: Number(options.share),
    ratios: Object.fromEntries(figures),
    ...(first.table ? { table: first.table } : {}),
  };
}

function printRatios(ratios) {
  const rows = Object.entries(ratios).map(([name, figures]) => [name, figures.median, ...ends(figures.runs)]);
  const width = Math.max(...rows.map(([name]) => name.length));
  console.log(`\n${"ratio".padEnd(width)}  median  lowest highest`);
  for (const [name, ...numbers] of rows)
    console.log(`${name.padEnd(width)} ${numbers.map((number) => number.toPrecision(3).padStart(7)).join(" ")}`);
}

function ends(numbers) {
  return [Math.min(...numbers), Math.max(...numbers)];
}

function check() {
  const former = JSON.parse(readFileSync(kept, "utf8"));
  const unmeasured = names.filter((name) => !(name in former));
  if (unmeasured.length > 0) fail([`bench/results.json lacks ${unmeasured.join(", ")}: npm run bench -- --write`]);
  const changed = names.filter((name) => name in former && results[name].table !== former[name].table);
  if (changed.length > 0) fail(changed.map((name) => `The table of ${name} has changed.`));
  const far = stated.filter(({ name, number }) => Math.abs(number / ratios[name]?.median - 1) > TOLERANCE);
  if (far.length > 0)
    fail(
      far.map(({ file, name, number }) => `${file} states ${number}, the median is ${ratios[name].median}: ${name}`),
    );
  else if (!process.exitCode) console.log(`\n${stated.length} stated ratios are within ${100 * TOLERANCE} %.`);
}

function keep() {
  write(kept, { ...JSON.parse(readFileSync(kept, "utf8")), ...results });
  // From the end of a file to its start, so that the places of earlier numbers stay right.
  for (const { file, name, numberRange } of stated.toSorted((a, b) => b.numberRange.start - a.numberRange.start)) {
    const url = new URL(file, root);
    const content = readFileSync(url, "utf8");
    const { start, end } = numberRange;
    writeFileSync(url, `${content.slice(0, start)}${rounded(ratios[name].median)}${content.slice(end)}`);
  }
}

function write(url, value) {
  // A list of runs on one line, as the formatter has it.
  const text = JSON.stringify(value, null, 2).replace(
    /\[\s+([\d.,\s]+?)\s+\]/g,
    (_, list) => `[${list.replace(/\s+/g, " ")}]`,
  );
  writeFileSync(url, `${text}\n`);
}

function benchOf(ratio) {
  return ratio.slice(0, ratio.indexOf(":"));
}

function fail(lines) {
  for (const line of lines) console.error(line);
  process.exitCode = 1;
}
