import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { formatDuration } from "../../core/format/format-duration.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { packageFolder } from "../../core/package-folder.js";
import { NotebookRunError } from "../../notebook/file/notebook.js";
import { readNotebook, writeNotebook } from "../../notebook/file/notebook-file.js";
import { summarizeNotebook } from "../../notebook/page/notebook-summary.js";
import { type PageLink, type PageMeta, toHtml } from "../../notebook/page/to-html.js";
import { type IndexEntry, toIndexHtml } from "../../notebook/page/to-index-html.js";
import { runNotebook } from "../../notebook/run/run-notebook.js";
import { startService } from "../../service/start-service.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { integerOption } from "../input/parameters.js";
import { orderNotebooks } from "../input/run-targets.js";
import { printMessage, type StatusLine, statusLine } from "../output/terminal.js";
import { defaultApiKey, openServedStore } from "./serve-command.js";

interface DemoOptions {
  readonly out: string;
  readonly features: number;
}

interface Job extends DemoOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly status: StatusLine;
}

/** Maximum count of notebooks that run at once; each needs one core and about 300 MB. */
const maxLanes = 3;

/** Adds `siteframe demo`, which runs every example notebook against the embedded service and writes pages. */
export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .summary("Run every example notebook against the embedded service.")
    .description("Run every example notebook against the embedded service, which serves the sample company.")
    .option("--out <folder>", "folder for executed notebooks and pages", "out")
    .option("--features <n>", "layer features of the sample company", integerOption(1000, 1_000_000), 3000)
    .action(demo);
}

async function demo(options: DemoOptions): Promise<void> {
  const status = statusLine(process.stderr);
  status.update("Writing the sample company…");
  const { store, close } = await openServedStore(undefined, options);
  const service = await startService({ store, apiKeys: [{ key: defaultApiKey }] });
  status.done(`Serving the sample company at ${service.url}`);
  try {
    const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: defaultApiKey };
    const started = Date.now();
    const entries = await runAll({ ...options, env, status });
    const index = join(options.out, "index.html");
    const page = toIndexHtml(entries, "Siteframe notebooks", Date.now() - started);
    await replaceFile(index, (path) => writeFile(path, page));
    process.stdout.write(nextSteps(index));
    const failed = entries.filter((entry) => entry.status === "failed").map(({ href }) => basename(href, ".html"));
    if (failed.length > 0) {
      const problem = `${failed.length} of ${entries.length} notebooks failed: ${failed.join(", ")}.`;
      printMessage(`siteframe demo: ${problem} Open their pages to see the errors.`);
      process.exitCode = 1;
    }
  } finally {
    await service.close();
    await close();
  }
}

async function runAll(job: Job): Promise<readonly IndexEntry[]> {
  const folder = join(packageFolder, "dist", "notebooks");
  const names = orderNotebooks((await readdir(folder)).filter((name) => name.endsWith(".ipynb")));
  await makeFolderOf(join(job.out, "index.html"));
  const pages = await Promise.all(names.map((name) => pageOf(join(folder, name))));
  const entries: IndexEntry[] = [];
  let next = 0;
  const lane = async () => {
    while (next < names.length) {
      const index = next++;
      const name = names[index] as string;
      const label = `[${index + 1}/${names.length}] ${name}`;
      const meta = { indexHref: "index.html", previous: pages[index - 1], next: pages[index + 1] };
      entries[index] = await runOne(join(folder, name), label, job, meta).catch((error) => {
        next = names.length;
        throw error;
      });
    }
  };
  const lanes = Array.from({ length: Math.min(availableParallelism(), maxLanes) }, lane);
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return entries;
}

/** Link to the page of a notebook. */
async function pageOf(path: string): Promise<PageLink> {
  const { title = basename(path) } = summarizeNotebook(await readNotebook(path));
  return { href: `${basename(path, ".ipynb")}.html`, title };
}

async function runOne(path: string, label: string, { out, env, status }: Job, meta: PageMeta): Promise<IndexEntry> {
  const started = Date.now();
  const href = `${basename(path, ".ipynb")}.html`;
  const save = async (notebook: IndexEntry["notebook"], outcome: "ok" | "failed") => {
    const facts = { status: outcome, durationMs: Date.now() - started };
    await writeNotebook(notebook, join(out, basename(path)));
    await replaceFile(join(out, href), (path) => writeFile(path, toHtml(notebook, { ...facts, ...meta })));
    return { href, notebook, ...facts };
  };
  try {
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
      status.update(`${label}: cell ${Math.min(done + 1, total)} of ${total}`);
    const entry = await save(await runNotebook(path, { env, onProgress }), "ok");
    status.done(`${label}: ${formatDuration(entry.durationMs)}`);
    return entry;
  } catch (error) {
    if (!(error instanceof NotebookRunError)) throw error;
    // The other notebooks go on: the error may be a missing optional package.
    const entry = await save(error.notebook, "failed");
    status.done(`${label}: failed, see ${join(out, href)}\n${[error.message, error.hint].filter(Boolean).join(" ")}`);
    return entry;
  }
}

/** The notebook in a checkout, which the documentation uses, or else in the package. */
function quickstart(): string {
  const source = join(packageFolder, "notebooks", "quickstart.ipynb");
  return existsSync(source) ? source : join(packageFolder, "dist", "notebooks", "quickstart.ipynb");
}

function nextSteps(index: string): string {
  return `
Open ${resolve(index)} in a browser: the example notebooks with their tables, charts and maps.

Next:
  npx siteframe serve                          the same service, to try things on
  export SITEFRAME_BASE_URL=http://127.0.0.1:8080 SITEFRAME_API_KEY=${defaultApiKey}
  npx siteframe run ${relative(process.cwd(), quickstart())} --html quickstart.html
`;
}
