// Mutation tests: changes one place of the code at a time (a comparison, a condition, a call) and looks whether a test fails.
// npm run mutate -- [--folder history,client] [--sample 80] [--seed 51] [--again] [--static]
// Mutants of code that runs at import only (constants) need all tests of their folder each: --static tries them too.
// The seed chooses mutants of each folder. Mutants of test/equivalent-mutants.json, which no test can detect, do not count.
// --again repeats only the mutants that the last run of a folder missed.
// Writes out/mutation/FOLDER.json. Target: 85 %, and 80 % in each folder. Fails below 70 %. Build first.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { excludedMutations, filesIn, listMutants, placeOf } from "./mutation/list-mutants.mjs";

const VERSION = "9.6.1";
/** A small sample of a suite that detects 85 % varies by some points. */
const LEAST = 0.7;

/** Tests of the tier `processes` whose code runs in this process, with DuckDB or a service of bad answers. The slowest of a folder is its last. */
const inProcess = [
  "test/client/faults.test.ts",
  "test/history/questions/rows/panel-codes.test.ts",
  "test/history/time/working-calendar.test.ts",
  "test/history/questions/engine/trino.test.ts",
  "test/history/questions/sql/dialect/dialects.test.ts",
  "test/history/questions/sql/dialect/parsed-sql.test.ts",
  "test/history/questions/stored-answer.test.ts",
  "test/history/questions/engine-agreement.test.ts",
  "test/snapshot/folder/foreign-paths.test.ts",
  "test/snapshot/folder/literal-paths.test.ts",
  "test/snapshot/lake/write-ducklake.test.ts",
  "test/snapshot/pull/pull.test.ts",
  "test/snapshot/pull/rewrite.test.ts",
  "test/snapshot/questions/duckdb-engine.test.ts",
  "test/snapshot/questions/snapshot-lazy-history.test.ts",
  "test/snapshot/remote/remote-folder.test.ts",
  "test/snapshot/serve/open-newest-store.test.ts",
  "test/snapshot/serve/open-store.test.ts",
  "test/snapshot/sql/sql.test.ts",
  "test/tables/json/json-oracle.test.ts",
  "test/tables/column/row-table.test.ts",
];

const root = join(import.meta.dirname, "..");
const stryker = join(root, ".cache/stryker");
const out = join(root, "out/mutation");

const { values: options } = parseArgs({
  options: {
    folder: { type: "string", default: "history,client,tables,layer,snapshot" },
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "51" },
    again: { type: "boolean", default: false },
    static: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const tiers = JSON.parse(readFileSync(join(root, "test/tiers.json"), "utf8"));
const equivalents = JSON.parse(readFileSync(join(root, "test/equivalent-mutants.json"), "utf8"));
const full = Object.values(tiers.full).flatMap(({ files }) => files);
/** Test files that mock modules, start processes or a browser, or run in `.ci/full` only. */
const others = new Set([...tiers.isolated, ...tiers.processes, ...tiers.browser, ...full]);

install();
mkdirSync(out, { recursive: true });
console.log(`Seed: ${options.seed}`);
const results = [];
for (const folder of options.folder.split(",")) results.push(await mutateFolder(folder));
if (!options.list) process.exitCode = summarize(results) ? 0 : 1;

/** Installs Stryker next to the project: only this script needs it. It uses the Vitest of the project. */
function install() {
  const path = join(stryker, "node_modules/@stryker-mutator/core/package.json");
  if (existsSync(path) && JSON.parse(readFileSync(path, "utf8")).version === VERSION) return;
  const packages = [`@stryker-mutator/core@${VERSION}`, `@stryker-mutator/vitest-runner@${VERSION}`];
  const words = ["install", "--silent", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", stryker];
  execFileSync("npm", [...words, ...packages], { stdio: "inherit", shell: process.platform === "win32" });
}

/** Tries a sample of a folder's mutants. @returns how many of each status */
async function mutateFolder(folder) {
  const mutants = await listMutants(stryker, folder, options.seed);
  reportOutdated(folder, mutants);
  const missedPath = join(out, `${folder}-missed.json`);
  const last = options.again ? new Set(JSON.parse(readFileSync(missedPath, "utf8"))) : undefined;
  const sample = last ? mutants.filter((mutant) => last.has(keyOf(mutant))) : mutants.slice(0, Number(options.sample));
  if (options.list) {
    for (const mutant of sample) console.log(describe(mutant));
    return;
  }
  const tried = sample.filter((mutant) => !isEquivalent(mutant));
  const statuses = runStryker(folder, tried);
  // A mutant that ends the runner's process is an error that every test notices.
  const detected = ["Killed", "Timeout", "RuntimeError"];
  const missed = tried.filter((mutant) => !detected.includes(statuses.get(placeOf(mutant))));
  if (!last) writeFileSync(missedPath, JSON.stringify(missed.map(keyOf)));
  console.log(`\n${folder}: ${mutants.length} mutants, ${sample.length} in the sample`);
  for (const mutant of missed) console.log(`  ${statuses.get(placeOf(mutant))}: ${describe(mutant)}`);
  const count = (status) => tried.filter((mutant) => statuses.get(placeOf(mutant)) === status).length;
  return {
    folder,
    tried: tried.length,
    equivalent: sample.length - tried.length,
    killed: count("Killed"),
    timeout: count("Timeout"),
    crashed: count("RuntimeError"),
    survived: count("Survived"),
    uncovered: count("NoCoverage"),
    static: count("Ignored"),
  };
}

/** @returns the status of each mutant of the sample by its place */
function runStryker(folder, sample) {
  const samplePath = join(out, `${folder}-sample.json`);
  const configPath = join(out, `${folder}-stryker.json`);
  const reportPath = join(out, `${folder}.json`);
  writeFileSync(samplePath, JSON.stringify(sample));
  const config = {
    plugins: ["@stryker-mutator/vitest-runner", join(root, "scripts/mutation/sample-checker.mjs")],
    checkers: ["sample"],
    testRunner: "vitest",
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    mutate: sample.map(({ file, location: { start, end } }) => {
      return `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
    }),
    mutator: { excludedMutations },
    coverageAnalysis: "perTest",
    ignoreStatic: !options.static,
    concurrency: availableParallelism(),
    timeoutMS: 30_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 30,
    ignorePatterns: [".cache", ".venv", "out"],
    tempDirName: ".cache/stryker-sandbox",
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: reportPath },
    logLevel: "warn",
    allowConsoleColors: false,
  };
  writeFileSync(configPath, JSON.stringify(config));
  const command = join(stryker, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const env = {
    ...process.env,
    SITEFRAME_MUTATION_SAMPLE: samplePath,
    SITEFRAME_TEST_SEED: "1",
    SITEFRAME_MUTATION_TESTS: testsOf(folder).join(","),
  };
  const { status } = spawnSync(process.execPath, [command, "run", configPath], { cwd: root, env, stdio: "inherit" });
  if (status !== 0) throw new Error(`Stryker failed in src/${folder}.`);
  const { files } = JSON.parse(readFileSync(reportPath, "utf8"));
  return new Map(
    Object.entries(files).flatMap(([file, { mutants }]) =>
      mutants.map(({ location, replacement, status }) => {
        const [start, end] = [location.start, location.end].map(({ line, column }) => {
          return { line: line - 1, column: column - 1 };
        });
        return [placeOf({ fileName: join(root, file), location: { start, end }, replacement }), status];
      }),
    ),
  );
}

/** Test files of a folder, and plain test files that import it, the slow ones last. */
function testsOf(folder) {
  // Sources read with the client, and have layers and histories.
  const folders = ["client", "layer", "history"].includes(folder) ? [folder, "source"] : [folder];
  const files = filesIn("test", ".test.ts").filter((file) => {
    const isInFolder = folders.some((name) => file.startsWith(`test/${name}/`));
    if (inProcess.includes(file)) return isInFolder;
    return !others.has(file) && (isInFolder || readFileSync(join(root, file), "utf8").includes(`/src/${folder}/`));
  });
  return files.sort((a, b) => inProcess.indexOf(a) - inProcess.indexOf(b));
}

function keyOf({ file, line, original, replacement }) {
  return [file, line, original, replacement].join("\n");
}

function isEquivalent(mutant) {
  return equivalents.some((entry) => matches(entry, mutant));
}

function matches(entry, { file, line, original, replacement }) {
  return (
    entry.file === file &&
    entry.original === original &&
    entry.replacement === replacement &&
    (entry.line === undefined || entry.line === line)
  );
}

/** An entry that no longer describes a mutant would hide a mistake in the list. */
function reportOutdated(folder, mutants) {
  const outdated = equivalents
    .filter(({ file }) => file.startsWith(`src/${folder}/`))
    .filter((entry) => !mutants.some((mutant) => matches(entry, mutant)));
  if (outdated.length > 0)
    throw new Error(
      `test/equivalent-mutants.json: outdated entries. Remove them.\n${JSON.stringify(outdated, null, 2)}`,
    );
}

function describe({ file, location, line, original, replacement }) {
  const short = (text) => (text.length > 100 ? `${text.slice(0, 100)}…` : text).replaceAll(/\s+/g, " ");
  return `${file}:${location.start.line + 1}  ${short(original)} → ${short(replacement)}   (${short(line)})`;
}

/** Prints a table. @returns whether the tests detect enough */
function summarize(results) {
  const share = ({ killed, timeout, crashed, tried, static: ignored }) => {
    return (killed + timeout + crashed) / (tried - ignored);
  };
  const keys = ["tried", "equivalent", "killed", "timeout", "crashed", "survived", "uncovered", "static"];
  const total = Object.fromEntries(keys.map((key) => [key, results.reduce((sum, each) => sum + each[key], 0)]));
  console.table(
    [...results, { folder: "all", ...total }].map((row) => ({
      ...row,
      detected: `${(100 * share(row)).toFixed(1)} %`,
    })),
  );
  return options.again || share(total) >= LEAST;
}
