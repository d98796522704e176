// Generates docs/api and docs/cli.md from the code. --check writes nothing and fails if they are outdated; api or cli
// generates one of the two. Results of unchanged examples are kept; test/docs/reference-examples.test.ts writes them.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endpoints } from "../modules/api/endpoints.js";
import { resources } from "../modules/api/resources.js";
import { environment, examples, exitCodes, siteframeProgram } from "../modules/cli/program.js";
import { apiIndex } from "./reference/api-index.mjs";
import { cliMarkdown } from "./reference/cli-markdown.mjs";
import { exampleBlocks, keepResults } from "./reference/code-blocks.mjs";
import { diagnosticsMarkdown } from "./reference/diagnostics-markdown.mjs";
import { serviceMarkdown } from "./reference/service-markdown.mjs";

const words = process.argv.slice(2);
const check = words.includes("--check");
const wanted = ["api", "cli"].filter((part) => words.includes(part));
const parts = wanted.length > 0 ? wanted : ["api", "cli"];
const made = mkdtempSync(join(tmpdir(), "siteframe-reference-"));

try {
  if (parts.includes("cli")) {
    const program = await siteframeProgram();
    writeFileSync(join(made, "cli.md"), cliMarkdown({ program, environment, examples, exitCodes }));
  }
  if (parts.includes("api")) makeApi(join(made, "api"));
  if (check) compare();
  else replace();
} finally {
  rmSync(made, { recursive: true });
}

function makeApi(out) {
  const typedoc = createRequire(import.meta.url).resolve("typedoc");
  const program = join(dirname(typedoc), "..", "bin", "typedoc");
  const { status } = spawnSync(process.execPath, [program, "--out", out], { stdio: "inherit" });
  if (status !== 0) throw new Error(`typedoc ended with ${status}`);
  writeFileSync(join(out, "service.md"), serviceMarkdown({ endpoints, resources }));
  const texts = JSON.parse(readFileSync(new URL("reference/diagnostics.json", import.meta.url), "utf8"));
  writeFileSync(
    join(out, "diagnostics.md"),
    diagnosticsMarkdown(severitiesOf(readFileSync("src/core/diagnostic.ts", "utf8")), texts),
  );
  const pages = ["siteframe.md", "siteframe/arquero.md", "siteframe/plot.md", "siteframe/widget.md"];
  for (const page of pages) writeFileSync(join(out, page), withExamples(page, text(out, page)));
  const names = readFileSync(new URL("reference/example-names.md", import.meta.url), "utf8");
  writeFileSync(join(out, "README.md"), apiIndex(out, pages, names));
}

/** A page with a link to the names in its examples, and the results of the last version. */
function withExamples(page, markdown) {
  if (exampleBlocks(markdown).length === 0) return markdown;
  const index = page.replace(/[^/]+\//g, "../").replace(/[^/]+$/, "README.md");
  const link = `Examples use [these names](${index}#names-in-the-examples).`;
  const linked = markdown.replace(/^(# .+\n\n.+\n)/, `$1\n${link}\n`);
  return keepResults(linked, text("docs/api", page) ?? "");
}

/** Severity of each code of diagnostics, from the table in the source. */
function severitiesOf(source) {
  return [...source.matchAll(/^ {2}"([a-z-]+)": "(info|warning|error)",$/gm)].map(([, code, severity]) => [
    code,
    severity,
  ]);
}

function replace() {
  if (parts.includes("api")) rmSync("docs/api", { recursive: true, force: true });
  mkdirSync("docs", { recursive: true });
  cpSync(made, "docs", { recursive: true });
}

function compare() {
  const stale = [...filesOf(made), ...filesOf("docs").filter(isMade)].filter(
    (name) => text(made, name) !== text("docs", name),
  );
  if (stale.length === 0) return;
  process.stderr.write(
    `Outdated: ${[...new Set(stale)].map((name) => `docs/${name}`).join(", ")}. Run npm run docs.\n`,
  );
  process.exitCode = 1;
}

function isMade(name) {
  return (parts.includes("api") && name.startsWith("api/")) || (parts.includes("cli") && name === "cli.md");
}

function filesOf(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  return names.filter((name) => name.endsWith(".md"));
}

function text(folder, name) {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll("\r\n", "\n") : undefined;
}
