// Packs the package, installs it into an empty project without overrides or danfo, and uses it there.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "siteframe-package-"));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const program = `
import { createRequire } from "node:module";
import { ArgumentError, connect, fromRecords } from "siteframe";
const table = await fromRecords({}).sites();
if (table.numRows() !== 0) throw new Error("sites() of no records has rows");
try {
  connect({ baseUrl: "http://127.0.0.1:1" });
  throw new Error("connect() without a key did not throw");
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
}
const { plot, Plot } = await import("siteframe/plot");
if (!String(plot({ marks: [Plot.ruleX([0])] }).outerHTML).includes("<svg")) throw new Error("no plot");
if (createRequire(import.meta.url)("siteframe").connect !== connect) throw new Error("require() gives another module");
`;

/** Types of Siteframe's packages must be found from a folder that has none. */
function checkTypesElsewhere() {
  const elsewhere = mkdtempSync(join(tmpdir(), "siteframe-elsewhere-"));
  const code = (source) => ({ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source });
  const cells = ["const sites = aq.table({ site: ['a'] });\nconst figure = Plot.dot([]).plot();", "sites.filtre()"].map(
    code,
  );
  const notebook = join(elsewhere, "typed.ipynb");
  writeFileSync(notebook, JSON.stringify({ nbformat: 4, nbformat_minor: 4, metadata: {}, cells }));
  const { stderr } = spawnSync(join(folder, "node_modules", ".bin", "siteframe"), ["run", notebook], {
    encoding: "utf8",
  });
  rmSync(elsewhere, { recursive: true });
  if (!stderr.includes("Property 'filtre' does not exist on type 'ColumnTable'")) {
    throw new Error(`what aq.table makes has no type outside the project: ${stderr}`);
  }
}

try {
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], process.cwd()));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", join(folder, filename)], folder);
  writeFileSync(join(folder, "use.mjs"), program);
  run(process.execPath, ["use.mjs"], folder);
  run("npx", ["--no-install", "siteframe", "openapi"], folder);
  checkTypesElsewhere();
  console.log(`${filename} installs into an empty project and works there.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
