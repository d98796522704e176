/**
 * How fast pages become tables: `npm run bench:load [-- ROUNDS [SHARE]]`. Every variant runs in a process of its own,
 * all of them in turn, ROUNDS times (default 5); the median counts. Only ratios mean something: they come from one run
 * on one machine. SHARE shrinks the data for a quick look.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const rounds = Number(process.argv[2] ?? 5);
const share = Number(process.argv[3] ?? 1);
const file = (name) => fileURLToPath(new URL(`load/${name}.mjs`, import.meta.url));
const pythonPath = fileURLToPath(new URL("load/python_frames.py", import.meta.url));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const python = process.env.PYTHON ?? "python3";
const modules = { "pandas.json_normalize": "pandas", "geopandas from features": "geopandas" };

/** Runs a variant in a process of its own. */
async function run(name, url, pages) {
  const [program, path] = name in modules ? [python, pythonPath] : [process.execPath, file("variant")];
  const { stdout } = await promisify(execFile)(program, [path, name, url, String(pages)]);
  return JSON.parse(stdout);
}

/** The variants whose module this Python has (PYTHON names another). */
async function pythonVariants() {
  const found = [];
  for (const [name, module] of Object.entries(modules)) {
    const has = await promisify(execFile)(python, ["-c", `import ${module}`]).then(
      () => true,
      () => false,
    );
    if (has) found.push(name);
    else console.log(`${name} is left out: ${python} has no ${module} (set PYTHON to one that has it).`);
  }
  return found;
}

const baseline = "JSON.parse and drop";
const groups = [
  {
    kind: "uniform",
    count: 200_000,
    title: "200,000 features of one shape",
    variants: ["bytes", baseline, "layer()", "aq.from(flattened)", "Danfo from records", ...(await pythonVariants())],
  },
  { kind: "mixed", count: 200_000, title: "200,000 features of three shapes, 5% odd", variants: [baseline, "layer()"] },
  { kind: "changes", count: 1_000_000, title: "1,000,000 changes", variants: [baseline, "changes into columns"] },
];

for (const { kind, count, title, variants } of groups) {
  const server = spawn(process.execPath, [file("server"), kind, String(count * share)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  const { url, bytes, pages } = JSON.parse(String(line));
  const runs = new Map(variants.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of variants) {
      runs.get(name).push(await run(name, url, pages));
    }
  }
  server.kill();
  const ms = (name) => median(runs.get(name).map((run) => run.ms));
  const cpu = (name) => median(runs.get(name).map((run) => run.cpuMs));
  const rss = (name) => median(runs.get(name).map((run) => run.rssMb));
  console.log(`\n${title}, ${Math.round(bytes / 1e6)} MB in ${pages} pages\n`);
  console.log(
    `| variant | seconds | × ${baseline} | CPU seconds | × | peak memory, MB |\n|---|---:|---:|---:|---:|---:|`,
  );
  for (const name of variants) {
    const cells = [ms(name) / 1000, ms(name) / ms(baseline), cpu(name) / 1000, cpu(name) / cpu(baseline)];
    console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(2)).join(" | ")} | ${rss(name).toFixed(0)} |`);
  }
}
