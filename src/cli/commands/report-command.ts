import { readFile, stat, writeFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { dayUs, whyNoDay } from "../../core/instant.js";
import { isAddress } from "../../core/is-address.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { nameHint } from "../../core/nearest-name.js";
import { givenOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { readFrontMatter } from "../../notebook/file/front-matter.js";
import type { Notebook } from "../../notebook/file/notebook.js";
import { summarizeNotebook } from "../../notebook/page/notebook-summary.js";
import { requireMessages, toEml } from "../../notebook/page/to-eml.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { requireWorkbooks } from "../../tables/export/to-xlsx.js";
import { packageRoot } from "../input/package-root.js";
import { checkParameters, integerOption, parseParameters } from "../input/parameters.js";
import { isFolder, today } from "../input/run-targets.js";
import { optimiseLater, papers, type RunOptions, runOne, tellOld } from "../output/run-and-save.js";
import { printResult } from "../output/terminal.js";

/** The reports that the package has, by their notebooks in `notebooks/reports`. */
const reports = ["progress", "inspection", "punch-list"] as const;

/** What a report is written as. */
const formats = ["html", "pdf", "xlsx", "eml"] as const;
type Format = (typeof formats)[number];

/** A file's name, or true where it is to be named. */
type Targets = { readonly [Name in Format]?: string | true };

interface ReportOptions extends Targets {
  /** Of the program itself. */
  readonly debug?: boolean;
  readonly site?: string;
  readonly at?: string;
  readonly since?: string;
  readonly snapshot?: string;
  readonly out: string;
  readonly to?: string;
  readonly paper?: string;
  readonly title?: string;
  readonly parameter?: readonly string[];
  readonly timeout?: number;
  readonly eject?: string | true;
}

/** `siteframe report`: what is sent to the client. */
export function addReportCommand(program: Command): void {
  program
    .command("report")
    .description("Write a report of a site for others: its key figures, charts, maps and list. No code is in it.")
    .argument("<report>", `${reports.join(", ")}, or a notebook of your own (.ipynb)`)
    .option("--site <name>", "name or id of the site")
    .option("--at <date>", "day of the report; by default when the data were read")
    .option("--since <date>", "day of the last report, of which changes are told; by default four weeks before")
    .option("--snapshot <folder>", "read this snapshot, a folder or an address, in place of the service")
    .option(
      "--html [file]",
      "write a page that stands alone; without a file's name it gets one of site, report and date",
    )
    .option("--pdf [file]", "print the page by your Chromium, Chrome or Edge")
    .option("--xlsx [file]", "write the list as a workbook")
    .option(
      "--eml [file]",
      "write a message with the key figures, and the other files attached, to be looked at and sent",
    )
    .option("--to <addresses>", "whom that message is to go to")
    .option("--out <folder>", "where files without a name go", ".")
    .addOption(new Option("--paper <size>", "paper of --pdf; by default what the browser takes").choices(papers))
    .option("--title <text>", "title, in place of the report's own")
    .option("-p, --parameter <name=value...>", "value for another of the report's parameters; JSON, else text")
    .option("--timeout <seconds>", "longest time for one cell", integerOption(1, 86_400))
    .option("--eject [file]", "only copy the report's notebook, to be changed")
    .action((name: string, _options: object, command: Command) => report(name, command.optsWithGlobals()));
}

async function report(name: string, options: ReportOptions): Promise<void> {
  const source = reportPath(name);
  if (options.eject !== undefined) return eject(source, options.eject);
  const asked = formats.filter((format) => options[format] !== undefined);
  if (asked.length === 0) {
    throw new ArgumentError(`siteframe report ${name} is not told what to write.`, {
      hint: `Add ${formats.map((format) => `--${format}`).join(", ")}, or several of them.`,
    });
  }
  if (options.to !== undefined && options.eml === undefined) {
    throw new ArgumentError("--to is whom a message is for, and none is written.", { hint: "Add --eml." });
  }
  optimiseLater();
  const files = filesOf(asked, name, options);
  const parameters = parametersOf(options);
  const { html, pdf, xlsx, eml } = files;
  const all = { ...parseParameters(options.parameter ?? []), ...parameters, ...(xlsx && { xlsx }) };
  const names = Object.keys(all);
  for (const unknown of await checkParameters([source], names)) throw unknown;
  checkDays(all);
  await Promise.all(Object.values(files).map(makeFolderOf));
  const { parameter, paper, title, timeout, debug } = options;
  const run = { ...givenOptions({ parameter, paper, title, timeout, debug, html, pdf }), code: false };
  const notebook = await orTellOld([xlsx, eml], async () => {
    // Said before minutes of cells, not after them.
    if (xlsx !== undefined) await requireWorkbooks("siteframe report --xlsx");
    if (eml !== undefined) await requireMessages(options.to);
    return xlsx === undefined ? runOne(source, { ...run, parameters }) : runWithWorkbook(source, xlsx, run, parameters);
  });
  if (eml !== undefined) {
    await orTellOld([eml], () => writeMessage(eml, notebook, source, options, [pdf, html, xlsx]));
  }
  for (const file of Object.values(files)) printResult(file);
}

/** Says of files that they are not of this run, if it fails. */
async function orTellOld<T>(files: readonly (string | undefined)[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    for (const file of files) if (file !== undefined) await tellOld(file);
    throw error;
  }
}

/**
 * The workbook, which the notebook writes, comes to its place once all else is there.
 *
 * @throws ArgumentError if the notebook writes none
 */
async function runWithWorkbook(
  source: string,
  xlsx: string,
  run: RunOptions,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Notebook> {
  let notebook: Notebook | undefined;
  await replaceFile(xlsx, async (unfinished) => {
    notebook = await runOne(source, { ...run, parameters: { ...parameters, xlsx: unfinished } });
    if (await isThere(unfinished)) return;
    throw new ArgumentError(`${source} wrote no workbook.`, {
      hint: "Its last cell has it written where it is asked for one: if (xlsx !== null) await toXLSX(list, { path: xlsx });",
      facts: { notebook: source },
    });
  });
  return notebook as Notebook;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** The notebook of a report. */
function reportPath(name: string): string {
  if (extname(name) === ".ipynb") return name;
  if (reports.some((known) => known === name)) return join(packageRoot(), "notebooks", "reports", `${name}.ipynb`);
  throw new ArgumentError(`There is no report ${showValue(name)}.`, {
    hint: nameHint(name, reports, `There are: ${reports.join(", ")}. A notebook of your own ends in .ipynb.`),
    facts: { report: name },
  });
}

async function eject(source: string, target: string | true): Promise<void> {
  const file = target === true ? basename(source) : isFolder(target) ? join(target, basename(source)) : target;
  if (await isThere(file)) {
    throw new ArgumentError(`${file} is there already, and is not replaced.`, {
      hint: `Give another name: --eject ${basename(file, ".ipynb")}-2.ipynb.`,
      facts: { path: file },
    });
  }
  await makeFolderOf(file);
  await replaceFile(file, async (unfinished) => writeFile(unfinished, await readFile(source)));
  printResult(file);
}

/**
 * Where each format goes. In names that are given, `{site}`, `{report}` and `{date}` stand for what they say.
 *
 * @throws ArgumentError for two formats in one file
 */
function filesOf(
  asked: readonly Format[],
  name: string,
  { site, at, out, ...targets }: ReportOptions,
): { readonly [Name in Format]?: string } {
  const words = {
    site: site === undefined ? "" : slug(site),
    report: slug(basename(name, ".ipynb")),
    date: at ?? today(),
  };
  const filled = (text: string) =>
    text.replaceAll(/\{(site|report|date)\}/g, (_, word: keyof typeof words) => words[word]);
  const own = [words.site, words.report, words.date].filter(Boolean).join("-");
  const files = asked.map((format): readonly [Format, string] => {
    const target = targets[format];
    if (typeof target !== "string") return [format, join(filled(out), `${own}.${format}`)];
    const file = filled(target);
    return [format, isFolder(file) ? join(file, `${own}.${format}`) : file];
  });
  const twice = files.find(([, file], at) => files.findIndex(([, other]) => resolve(other) === resolve(file)) < at);
  if (twice) {
    throw new ArgumentError(`${twice[1]} is to be two things: one would be written over the other.`, {
      hint: "Give each format a file of its own.",
      facts: { path: twice[1] },
    });
  }
  return Object.fromEntries(files);
}

/** Words as a part of a file's name. */
function slug(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

/** What the options say to the notebook. Cells run in its folder: paths are whole. */
function parametersOf({ site, at, since, snapshot }: ReportOptions): Readonly<Record<string, unknown>> {
  return givenOptions({
    site: site !== undefined && /^\d{1,15}$/.test(site) ? Number(site) : site,
    at,
    since,
    snapshot: snapshot === undefined || isAddress(snapshot) ? snapshot : resolve(snapshot),
  });
}

/**
 * What a notebook would fail at, said before it runs.
 *
 * @throws ArgumentError for what is no day, and for a last report after this one
 */
function checkDays({ at, since }: Readonly<Record<string, unknown>>): void {
  for (const [name, day] of Object.entries({ at, since })) {
    if (day === undefined || day === null || (typeof day === "string" && dayUs(day) !== undefined)) continue;
    throw new ArgumentError(`--${name}: ${showValue(day)} is no day${whyNoDay(day)}.`, {
      hint: "Write year, month and day: 2026-03-31.",
      facts: { [name]: day },
    });
  }
  const [end, what] = typeof at === "string" ? [at, "the day of the report"] : [today(), "today"];
  if (typeof since !== "string" || since <= end) return;
  throw new ArgumentError(`--since: ${since} is after ${what}, ${end}.`, {
    hint: "Give an earlier day.",
    facts: { since, at: end },
  });
}

async function writeMessage(
  path: string,
  notebook: Notebook,
  source: string,
  { title, to }: ReportOptions,
  files: readonly (string | undefined)[],
): Promise<void> {
  const attached = files.filter((file) => file !== undefined);
  const message = await toEml(notebook, {
    title: title ?? readFrontMatter(notebook).title ?? summarizeNotebook(notebook).title ?? basename(source, ".ipynb"),
    to,
    attachments: await Promise.all(attached.map(async (file) => ({ path: file, content: await readFile(file) }))),
  });
  await replaceFile(path, (unfinished) => writeFile(unfinished, message));
}
