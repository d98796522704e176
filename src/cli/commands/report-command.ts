import { readFile, stat, writeFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { calendarPeriod } from "../../core/calendar-period.js";
import { ArgumentError, FileError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { nameHint } from "../../core/nearest-name.js";
import { givenOptions } from "../../core/options.js";
import { packageFolder } from "../../core/package-folder.js";
import { readSafely, showValue } from "../../core/show-value.js";
import { languages } from "../../core/translate.js";
import { isAddress } from "../../core/url-checks.js";
import { endingDay, weekHint, whyNoPeriod } from "../../history/time/valid-time.js";
import { readFrontMatter, readLogo } from "../../notebook/file/front-matter.js";
import type { Notebook } from "../../notebook/file/notebook.js";
import { summarizeNotebook } from "../../notebook/page/notebook-summary.js";
import { requireMessages, toEml } from "../../notebook/page/to-eml.js";
import { reportHeaderOf } from "../../notebook/page/to-html.js";
import { writeWorkbook } from "../../notebook/page/to-workbook.js";
import { readRunRecord } from "../../notebook/run/run-record.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { requireWorkbooks } from "../../tables/export/to-xlsx.js";
import { checkParameters, declaredParameters, integerOption, parseParameters } from "../input/parameters.js";
import { isFolder, today } from "../input/run-targets.js";
import { type GivenSite, requireSites, siteOption } from "../input/source-option.js";
import { optimizeLater, paperOf, papers, printUnchanged, runOne, wroteText } from "../output/run-and-save.js";
import { printMessage, printResult } from "../output/terminal.js";

/** Reports of the package, by the names of their notebooks in `notebooks/reports`. */
const reports = ["progress", "inspection", "punch-list", "portfolio"] as const;

/** Output formats of a report. */
const formats = ["html", "pdf", "xlsx", "eml"] as const;
type Format = (typeof formats)[number];

/** A file name, or true for a generated name. */
type Targets = { readonly [Name in Format]?: string | true };

interface ReportOptions extends Targets {
  /** Option of the program. */
  readonly debug?: boolean;
  readonly site?: readonly GivenSite[];
  readonly at?: string;
  readonly since?: string;
  readonly snapshot?: string;
  readonly out: string;
  readonly to?: string;
  readonly link?: string;
  readonly paper?: string;
  readonly title?: string;
  readonly client?: string;
  readonly logo?: string;
  readonly preparedBy?: string;
  readonly document?: string;
  readonly locale: string;
  readonly parameter?: readonly string[];
  readonly timeout?: number;
  readonly eject?: string | true;
}

/** Adds `siteframe report`, which writes reports for clients. */
export function addReportCommand(program: Command): void {
  program
    .command("report")
    .summary("Write a report as HTML, PDF, XLSX or email.")
    .description(
      "Write a site or portfolio report as HTML, PDF, XLSX or email: key figures, charts, maps and a list, without code.",
    )
    .argument("<report>", `${reports.join(", ")}, or your own notebook (.ipynb)`)
    .addOption(siteOption("site of the report; sites of a portfolio. Default: all of a portfolio"))
    .option("--at <date>", "day or ISO week of the report. Default: day of the last change")
    .option("--since <date>", "day of the previous report, for changes since then. Default: four weeks earlier")
    .option("--snapshot <folder>", "snapshot folder or address to read instead of the service")
    .option("--html [file]", "write a self-contained page; the default file name has the site, report and date")
    .option("--pdf [file]", "print the page with the installed Chromium, Chrome or Edge")
    .option("--xlsx [file]", "write key figures, blocks or sites, and the list as a workbook")
    .option("--eml [file]", "write an email with the key figures and the other files attached, to review and send")
    .option("--to <addresses>", "recipients of --eml")
    .option("--link <address>", "address of the published report, for --eml")
    .option("--out <folder>", "folder for files without a name", ".")
    .addOption(
      new Option("--paper <size>", "paper size of --pdf. Default: A4, or Letter with --locale en-US").choices(papers),
    )
    .option("--title <text>", "title that replaces the report's title")
    .option("--client <name>", "recipient in the header")
    .option("--prepared-by <name>", "author in the header and in the metadata of the PDF")
    .option("--logo <file>", "picture in the header (.svg, .png, .jpg), at most 1 MB")
    .option("--document <number>", "document number. Default: from the report, the site and the date")
    .option(
      "--locale <tag>",
      `language of words, dates and numbers: ${languages.join(", ")}, with a region such as en-US`,
      "en",
    )
    .option("-p, --parameter <name=value...>", "value of another report parameter; JSON, else a string")
    .option("--timeout <seconds>", "maximum time for one cell", integerOption(1, 86_400))
    .option("--eject [file]", "copy the report's notebook so that you can edit it; writes no report")
    .action((name: string, _options: object, command: Command) => report(name, command.optsWithGlobals()));
}

async function report(name: string, options: ReportOptions): Promise<void> {
  const source = reportPath(name);
  if (options.eject !== undefined) return eject(source, options.eject);
  const requested = formats.filter((format) => options[format] !== undefined);
  if (requested.length === 0) {
    throw new ArgumentError(`siteframe report ${name}: the output format is missing.`, {
      hint: `Add one or more of ${formats.map((format) => `--${format}`).join(", ")}.`,
    });
  }
  if (options.to !== undefined && options.eml === undefined) {
    throw new ArgumentError("siteframe report: --to needs --eml.", { hint: "Add --eml." });
  }
  if (options.link !== undefined) checkLink(options.link, options.eml);
  const locale = localeOf(options.locale);
  const logo = options.logo === undefined ? undefined : await readLogo(options.logo, ".");
  optimizeLater();
  let files = filesOf(requested, name, options, subjectGiven(options));
  const given = parametersOf(name, options, (await declaredParameters(source)) ?? []);
  const { html, pdf, xlsx, eml } = files;
  const all: Readonly<Record<string, unknown>> = { ...parseParameters(options.parameter ?? []), ...given };
  const names = Object.keys(all);
  for (const unknown of await checkParameters([source], names)) throw unknown;
  checkDays(all);
  // The cells of a report expect days: the last one of a week.
  const parameters = { ...given, ...givenOptions({ at: endingDay(all["at"]), since: endingDay(all["since"]) }) };
  await Promise.all(Object.values(files).map(makeFolderOf));
  const { parameter, paper, title, timeout, debug, client, preparedBy, document } = options;
  const header = { title, client, preparedBy, document, logo, locale };
  const namedBy = (notebook: Notebook) => {
    files = filesOf(requested, name, options, subjectOf(notebook, options));
    return givenOptions({ html: files.html, pdf: files.pdf });
  };
  const hasPlainErrors = source !== name && debug !== true;
  const run = {
    ...givenOptions({ parameter, paper, timeout, debug, html, pdf, ...header }),
    ...{ code: false, hasPlainErrors, namedBy },
  };
  const { notebook, cost } = await orPrintUnchanged([xlsx, eml], async () => {
    // Fails before the cells run, which can take minutes.
    if (xlsx !== undefined) await requireWorkbooks("siteframe report --xlsx");
    if (eml !== undefined) await requireMessages(options.to);
    return await runOne(source, { ...run, parameters });
  });
  await Promise.all(Object.values(files).map(makeFolderOf));
  await writeAttached(notebook, files, source, options);
  // Programs read the paths; people read the line below.
  if (!process.stdout.isTTY) for (const file of Object.values(files)) printResult(file);
  printMessage(wroteText(Object.values(files), cost));
}

/** Site and day of a report, for the names of its files. */
interface Subject {
  /** Undefined if there are several. */
  readonly site?: string;
  readonly at?: string;
}

function subjectGiven({ site = [], at }: ReportOptions): Subject {
  const [only, ...others] = site;
  return givenOptions({ site: only === undefined || others.length > 0 ? undefined : String(only), at });
}

/** The subject of an executed report, with the name of its site instead of an id. */
function subjectOf(notebook: Notebook, options: ReportOptions): Subject {
  const { site, at } = subjectGiven(options);
  const header = reportHeaderOf(notebook);
  const [only, ...others] = readRunRecord(notebook.metadata)?.sites ?? [];
  const named = header?.site ?? (others.length === 0 ? only : undefined);
  const isId = site !== undefined && /^\d+$/.test(site);
  return givenOptions({ site: isId ? (named ?? site) : site, at: at ?? header?.until });
}

/** Writes the workbook and the message of an executed report. */
async function writeAttached(
  notebook: Notebook,
  { html, pdf, xlsx, eml }: { readonly [Name in Format]?: string },
  source: string,
  options: ReportOptions,
): Promise<void> {
  if (xlsx !== undefined) {
    const author = options.preparedBy ?? readFrontMatter(notebook).author;
    const properties = { title: titleOf(notebook, source, options), author };
    const paper = paperOf(options);
    await orPrintUnchanged([xlsx, eml], () => writeWorkbook(notebook, { path: xlsx, paper, ...properties }));
  }
  if (eml !== undefined) {
    await orPrintUnchanged([eml], () => writeMessage(eml, notebook, source, options, [pdf, html, xlsx]));
  }
}

/** @throws ArgumentError without a message, and for an address that mail programs do not open */
function checkLink(link: string, eml: string | true | undefined): void {
  if (eml === undefined) throw new ArgumentError("siteframe report: --link needs --eml.", { hint: "Add --eml." });
  if (/^https?:\/\/\S+$/.test(link)) return;
  throw new ArgumentError(`siteframe report: invalid address ${showValue(link)} for --link.`, {
    hint: "Write a complete address: --link https://example.org/report.html.",
    facts: { link },
  });
}

/** Marks files as outputs of an earlier run if this one fails. */
async function orPrintUnchanged<T>(files: readonly (string | undefined)[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    for (const file of files) if (file !== undefined) await printUnchanged(file);
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Returns the tag of a language of reports, in its usual form: `de-AT`.
 *
 * @throws ArgumentError for another language
 */
function localeOf(tag: string): string {
  const canonical = readSafely(() => Intl.getCanonicalLocales(tag)[0], undefined);
  const language = canonical?.split("-", 1)[0];
  if (canonical !== undefined && languages.some((each) => each === language)) return canonical;
  throw new ArgumentError(`siteframe report: unknown locale ${showValue(tag)}.`, {
    hint: nameHint(tag, languages, `Use ${languages.join(", ")}, or one of them with a region: --locale en-US.`),
    facts: { locale: tag },
  });
}

/** The path of a report's notebook. */
function reportPath(name: string): string {
  if (extname(name) === ".ipynb") return name;
  if (reports.some((other) => other === name))
    return join(packageFolder, "dist", "notebooks", "reports", `${name}.ipynb`);
  throw new ArgumentError(`siteframe report: unknown report ${showValue(name)}.`, {
    hint: nameHint(name, reports, `Use ${reports.join(", ")}, or your own notebook (.ipynb).`),
    facts: { report: name },
  });
}

async function eject(source: string, target: string | true): Promise<void> {
  const file = target === true ? basename(source) : isFolder(target) ? join(target, basename(source)) : target;
  if (await isThere(file)) {
    throw new FileError(`siteframe report: ${file} exists already.`, {
      hint: `Choose another name: --eject ${basename(file, ".ipynb")}-2.ipynb.`,
      facts: { path: file },
    });
  }
  await makeFolderOf(file);
  await replaceFile(file, async (unfinished) => writeFile(unfinished, await readFile(source)));
  printResult(file);
}

/**
 * Returns the file of each format. File names may contain `{site}`, `{report}` and `{date}`.
 *
 * @throws ArgumentError if two formats have the same file
 */
function filesOf(
  requested: readonly Format[],
  name: string,
  { out, ...targets }: ReportOptions,
  { site, at }: Subject,
): { readonly [Name in Format]?: string } {
  const words = {
    site: site === undefined ? "" : slug(site),
    report: slug(basename(name, ".ipynb")),
    date: at ?? today(),
  };
  const filled = (text: string) =>
    text.replaceAll(/\{(site|report|date)\}/g, (_, word: keyof typeof words) => words[word]);
  const baseName = [words.site, words.report, words.date].filter(Boolean).join("-");
  const files = requested.map((format): readonly [Format, string] => {
    const target = targets[format];
    if (typeof target !== "string") return [format, join(filled(out), `${baseName}.${format}`)];
    const file = filled(target);
    return [format, isFolder(file) ? join(file, `${baseName}.${format}`) : file];
  });
  const twice = files.find(([, file], at) => files.findIndex(([, other]) => resolve(other) === resolve(file)) < at);
  if (twice) {
    throw new ArgumentError(`siteframe report: two formats would be written to ${twice[1]}.`, {
      hint: "Give each format its own file name.",
      facts: { path: twice[1] },
    });
  }
  return Object.fromEntries(files);
}

/** Text as part of a file name. */
function slug(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

/**
 * The notebook's parameters from the options. Paths are absolute, since cells run in the notebook's folder.
 *
 * @param declared the names of its parameters: `sites`, or `site` if it covers one site
 * @throws ArgumentError for several sites of a report that covers one
 */
function parametersOf(
  name: string,
  { site = [], at, since, snapshot }: ReportOptions,
  declared: readonly string[],
): Readonly<Record<string, unknown>> {
  const given = requireSites(site);
  const hasSites = declared.includes("sites");
  if (given.length > 1 && !hasSites) {
    throw new ArgumentError(
      `siteframe report ${name}: covers one site, got ${given.map((one) => showValue(one)).join(", ")}.`,
      { hint: "Use one --site, or siteframe report portfolio.", facts: { sites: given } },
    );
  }
  return givenOptions({
    site: hasSites ? undefined : given[0],
    sites: hasSites && given.length > 0 ? given : undefined,
    at,
    since,
    snapshot: snapshot === undefined || isAddress(snapshot) ? snapshot : resolve(snapshot),
  });
}

/**
 * Checks the dates before the notebook runs.
 *
 * @throws ArgumentError for an invalid day, and if `since` is after the day of the report
 */
function checkDays({ at, since }: Readonly<Record<string, unknown>>): void {
  for (const [name, day] of Object.entries({ at, since })) {
    if (day === undefined || day === null || (typeof day === "string" && calendarPeriod(day))) continue;
    throw new ArgumentError(`siteframe report: invalid day for --${name}: ${showValue(day)}${whyNoPeriod(day)}.`, {
      hint: weekHint(day) ?? "Write a day, 2026-03-31, or an ISO week, 2026-W14.",
      facts: { [name]: day },
    });
  }
  const [end, what] = typeof at === "string" ? [endingDay(at), "--at"] : [today(), "today"];
  if (typeof since !== "string" || endingDay(since) <= end) return;
  throw new ArgumentError(`siteframe report: --since ${since} is after ${what}, ${end}.`, {
    hint: "Use an earlier day.",
    facts: { since, at: end },
  });
}

function titleOf(notebook: Notebook, source: string, { title }: ReportOptions): string {
  return title ?? readFrontMatter(notebook).title ?? summarizeNotebook(notebook).title ?? basename(source, ".ipynb");
}

async function writeMessage(
  path: string,
  notebook: Notebook,
  source: string,
  options: ReportOptions,
  files: readonly (string | undefined)[],
): Promise<void> {
  const attached = files.filter((file) => file !== undefined);
  const message = await toEml(notebook, {
    title: titleOf(notebook, source, options),
    to: options.to,
    link: options.link,
    author: readFrontMatter(notebook).author,
    attachments: await Promise.all(attached.map(async (file) => ({ path: file, content: await readFile(file) }))),
  });
  await replaceFile(path, (unfinished) => writeFile(unfinished, message));
}
