import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pull } from "../../src/snapshot/pull.js";
import { fromRecords } from "../../src/source/from-records.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";
import { type RecordServer, serveRecords } from "../support/serve-records.js";

const status = uuid(1, "aaaaaaaa");
const records = {
  datasets: [dataset(1)],
  propertyDefinitions: [definition(status, "STATUS")],
  layerFeatures: [feature(1, { properties: { [status]: "OPEN" } }), feature(2)],
  propertyChanges: [change(1, { property_key: status })],
};
const notebook = {
  ...{ nbformat: 4, nbformat_minor: 4, metadata: {} },
  cells: [{ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: "1 + 1" }],
};

/** Notes each file that is loaded as a module. */
const hooks = `
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
export async function load(url, context, next) {
  if (url.startsWith("file:")) appendFileSync(process.env.LOADED + process.pid, fileURLToPath(url) + "\\n");
  return next(url, context);
}`;

/** Notes the files that were loaded as CommonJS, at the end of each step: hooks of modules do not see require(). */
const register = `
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";
register("./hooks.mjs", import.meta.url);
const { cache } = createRequire(import.meta.url);
const note = (lines) => appendFileSync(process.env.LOADED + process.pid, lines.join("\\n") + "\\n");
globalThis.step = (name) => note([...Object.keys(cache), "step " + name]);
process.on("exit", () => step("end"));`;

/** Programs with steps. A step counts all modules loaded so far. */
const local = `
  const { readFileSync } = await import("node:fs");
  const { fromRecords } = await import("siteframe");
  step("import siteframe");
  const layer = await fromRecords(JSON.parse(readFileSync(process.env.RECORDS, "utf8"))).layer({ site_id: 12 });
  step("first layer of fromRecords()");
  const history = await layer.history();
  step("first history");
  history.asOf("2025-01-01");
  step("first as-of");
  const { valueOverTime } = await import("siteframe/plot");
  valueOverTime(history, "STATUS");
  step("first figure");`;
const live = `
  const { connect } = await import("siteframe");
  const source = connect({ baseUrl: process.env.SERVICE, apiKey: "demo" });
  const layer = await source.layer({ site_id: 12 });
  if (layer.table.numRows() !== 2) throw new Error("another layer was read");
  step("first layer of connect()");`;

interface Loaded {
  readonly packages: ReadonlySet<string>;
  readonly kB: number;
  /** Of these, undici's. */
  readonly undiciKB: number;
}

const folder = temporaryFolder();
let server: RecordServer;
const loaded = new Map<string, Loaded>();

beforeAll(async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("hooks.mjs", hooks);
  write("register.mjs", register);
  write("records.json", JSON.stringify(records));
  write("one.ipynb", JSON.stringify(notebook));
  const snapshot = join(folder, "one.snapshot");
  await pull(fromRecords(records), snapshot, { showProgress: false });
  const bodies = Object.entries(records).map(([name, rows]) => [name, JSON.stringify(rows)]);
  server = await serveRecords(Object.fromEntries(bodies));
  const run = (...args: string[]) => ["dist/cli/main.js", ...args];
  const runs: readonly (readonly [name: string, args: readonly string[]])[] = [
    ["", ["--input-type=module", "-e", local]],
    ["", ["--input-type=module", "-e", live]],
    ...["siteframe/arquero", "siteframe/plot", "siteframe/widget"].map(
      (name) => [`import ${name}`, ["-e", `import(${JSON.stringify(name)})`]] as const,
    ),
    ["siteframe --help", run("--help")],
    ["siteframe sql", run("sql", snapshot, "SELECT 1")],
    ["siteframe serve", run("serve", snapshot, "--port", "0")],
    ["siteframe run", run("run", join(folder, "one.ipynb"), "--out", join(folder, "ran.ipynb"))],
  ];
  // Two at a time: each keeps a core busy.
  const waiting = [...runs];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await count(...next);
  };
  await Promise.all([work(), work()]);
});

afterAll(() => {
  server?.close();
});

/**
 * Counts what a process loads, by step, without the processes that it starts. A service is stopped after its first answer.
 *
 * @param name of the end of a process that has no steps
 */
async function count(name: string, args: readonly string[]): Promise<void> {
  const log = join(folder, "loaded-");
  const child = spawn(process.execPath, ["--import", pathToFileURL(join(folder, "register.mjs")).href, ...args], {
    env: { ...process.env, LOADED: log, RECORDS: join(folder, "records.json"), SERVICE: server.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface(child.stdout).on("line", async (line) => {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url === undefined) return;
    await fetch(url);
    child.kill();
  });
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0 && !child.killed) throw new Error(complaint);
  const files = new Set<string>();
  for (const line of readFileSync(`${log}${child.pid}`, "utf8").split("\n")) {
    if (line.startsWith("step ")) loaded.set(line === "step end" ? name : line.slice("step ".length), sum(files));
    else if (existsSync(line) && !line.startsWith(folder)) files.add(line);
  }
}

function sum(files: ReadonlySet<string>): Loaded {
  const packages = new Set<string>();
  let [kB, undiciKB] = [0, 0];
  for (const file of files) {
    const [, name] = /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
    const size = statSync(file).size / 1000;
    kB += size;
    if (name === "undici") undiciKB += size;
    if (name !== undefined) packages.add(name.replaceAll("\\", "/"));
  }
  return { packages, kB, undiciKB };
}

const heavy =
  /^(@duckdb|@observablehq|@resvg|@tensorflow|@typescript|d3|danfojs|jsdom|linkedom|temporal-polyfill|typescript|zeromq)/;

/** Slightly above the measured values. kB exclude undici. */
const limits = [
  { step: "import siteframe", packages: 0, kB: 240 },
  { step: "import siteframe/arquero", packages: 3, kB: 900 },
  { step: "import siteframe/plot", packages: 47, kB: 3600 },
  { step: "import siteframe/widget", packages: 4, kB: 1150 },
  { step: "first layer of fromRecords()", packages: 3, kB: 1200 },
  { step: "first layer of connect()", packages: 4, kB: 1200 },
  { step: "first history", packages: 11, kB: 1900 },
  { step: "first as-of", packages: 11, kB: 1900 },
  { step: "first figure", packages: 47, kB: 3700 },
  { step: "siteframe --help", packages: 14, kB: 2500 },
  { step: "siteframe sql", packages: 12, kB: 2900 },
  { step: "siteframe serve", packages: 6, kB: 1500 },
  { step: "siteframe run", packages: 2, kB: 300 },
];

describe("loaded modules", () => {
  it.each(limits)("of $step: at most $packages packages and $kB kB", ({ step, packages, kB }) => {
    const found = loaded.get(step);
    expect(found?.kB).toBeGreaterThan(50);
    expect((found?.kB ?? 0) - (found?.undiciKB ?? 0)).toBeLessThan(kB);
    expect(found?.packages.size).toBeLessThanOrEqual(packages);
  });

  it.each([
    "import siteframe",
    "import siteframe/arquero",
    "import siteframe/widget",
    "first layer of fromRecords()",
    "first layer of connect()",
    "siteframe run",
  ])("of %s include neither DuckDB, TypeScript, Plot, d3, a DOM, zeromq, Danfo nor Temporal", (step) => {
    expect([...(loaded.get(step)?.packages ?? [])].filter((name) => heavy.test(name))).toEqual([]);
  });

  it("of siteframe/plot include Plot and a DOM, but not the renderer of PNGs", () => {
    const { packages } = loaded.get("import siteframe/plot") ?? {};
    expect([...(packages ?? [])]).toEqual(expect.arrayContaining(["@observablehq/plot", "linkedom"]));
    expect([...(packages ?? [])].filter((name) => name.startsWith("@resvg"))).toEqual([]);
  });

  it("of a first layer of connect() include at most 1,300 kB of undici", () => {
    const { undiciKB = 0 } = loaded.get("first layer of connect()") ?? {};
    expect(undiciKB).toBeGreaterThan(100);
    expect(undiciKB).toBeLessThan(1300);
  });
});
