import { isDate } from "../../api/property-types.js";
import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import { formatMinute, inUtc } from "../../core/format/format-date.js";
import { type ProvenanceParts, provenanceText } from "../../core/format/format-provenance.js";
import { translator } from "../../core/translate.js";
import { isReportHeader, periodText, type ReportHeaderOptions, reportMime } from "../../plot/figure/report-header.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type FrontMatter, isFrontMatter, readFrontMatter } from "../file/front-matter.js";
import { parameterValues } from "../file/inject-parameters.js";
import { type Cell, type CodeCell, cellTags, type Notebook, type Output } from "../file/notebook.js";
import { type RunRecord, readRunRecord, type SourceRead } from "../run/run-record.js";
import { type RunSummary, renderRunSummary, summarizeNotebook } from "./notebook-summary.js";
import { PageHeadings } from "./page-headings.js";
import { pageScript, pageShell } from "./page-shell.js";
import type { PdfFacts } from "./print-pdf.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderOutput } from "./render-output.js";
import { preformatted } from "./terminal-text.js";

const keywords = new Set(
  `as async await break case catch class const continue default delete do else enum export extends false finally for
  from function if implements import in instanceof interface keyof let new null of private public readonly return
  satisfies static super switch this throw true try type typeof undefined var void while yield`.split(/\s+/),
);

/** Data of a page besides the notebook. */
export interface PageMeta extends RunSummary {
  /** Title, which replaces the notebook's first heading of level 1. Default: that of its front matter, else its first heading. */
  readonly title?: string;
  /** Link to the index. */
  readonly indexHref?: string;
  /** Previous and next page in the index. */
  readonly previous?: PageLink | undefined;
  readonly next?: PageLink | undefined;
  /** Whether to omit code and run details, for readers outside of the team. Default: false. */
  readonly noCode?: boolean;
  /** Logo in the head, as a `data:` URL. */
  readonly logo?: string | undefined;
  /** Size of printed pages: `A4`, `Letter`. Default: that of the printer. */
  readonly paper?: string | undefined;
  /** Recipient, author and number in the header of a report. Default: those of the notebook. */
  readonly client?: string | undefined;
  readonly preparedBy?: string | undefined;
  readonly document?: string | undefined;
  /** BCP 47 tag of the language of a report's header and footer. Default: `en`. */
  readonly locale?: string | undefined;
}

/** A page before or after this one. */
export interface PageLink {
  readonly href: string;
  readonly title: string;
}

/** A notebook as one HTML page without other files. */
export function toHtml(notebook: Notebook, meta: PageMeta = {}): string {
  const front = readFrontMatter(notebook);
  const summary = summarizeNotebook(notebook);
  const given = meta.title ?? front.title;
  const title = given ?? summary.title ?? "Notebook";
  const { noCode = false, paper, locale = "en" } = meta;
  const report = reportHeaderOf(notebook);
  const back = meta.indexHref === undefined ? "" : `<a href="${escapeHtml(meta.indexHref)}">← All notebooks</a>`;
  const record = readRunRecord(notebook.metadata);
  // In a report, the age of the data is in the footer.
  const age = record && !noCode ? renderDataAge(record) : "";
  const facts = noCode ? "" : renderRunSummary(meta);
  const foot = [...renderNeighbours(meta), ...(record ? [renderRunRecord(record, noCode, locale)] : [])];
  // A title set by the user is not changed.
  const isReport = report !== undefined || meta.client !== undefined || meta.preparedBy !== undefined;
  const isTitled = given !== undefined || isReport;
  const headings = new PageHeadings({
    title: translator(locale)("Contents"),
    ...(isTitled ? { isTitled } : { site: summary.site }),
  });
  const cells = renderCells(notebook, { noCode, headings });
  const hasCode = cells.some((cell) => cell.includes('<div class="code">'));
  const hasBar = !noCode || back !== "";
  const bar = !hasBar
    ? ""
    : `<nav class="bar" aria-label="This page">${back}<span class="space"></span>${age}${facts}${hasCode ? codeSwitch : ""}</nav>`;
  const hasViews = cells.some((cell) => cell.includes("<iframe"));
  const script =
    hasCode || hasViews || headings.contents() !== "" ? `<script class="page-script">${pageScript}</script>` : "";
  const head = isReport
    ? renderReportHead(report, { ...meta, preparedBy: meta.preparedBy ?? front.author, title })
    : renderHead(front, meta, aboutLine(notebook, title));
  return pageShell(
    title,
    [
      bar,
      headings.contents(),
      script,
      noCode ? '<main class="for-others">' : "<main>",
      head,
      ...cells,
      "</main>",
      ...foot,
    ].join("\n"),
    {
      paper,
      locale,
      // As an element, it could be alone on the last page.
      foot: record && noCode ? madeBy(record, locale) : undefined,
    },
  );
}

/** The header that a cell of the notebook displays; undefined for other notebooks than reports. */
export function reportHeaderOf({ cells }: Notebook): ReportHeaderOptions | undefined {
  return cells
    .flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : []))
    .map((output) => ("data" in output ? output.data[reportMime] : undefined))
    .find(isReportHeader);
}

/** The header of a report: logo, title, summary, and the facts that a client files it by. */
function renderReportHead(report: ReportHeaderOptions | undefined, meta: PageMeta): string {
  const { title = "", logo, client, preparedBy, locale = "en" } = meta;
  const say = translator(locale);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Prepared for", client],
    ["Prepared by", preparedBy],
    ["Period", report && periodText(report, locale)],
    ["Document", meta.document ?? report?.document],
  ];
  const list = facts.map(([name, text]) =>
    text === undefined ? "" : `<div><dt>${escapeHtml(say(name))}</dt><dd>${escapeHtml(text)}</dd></div>`,
  );
  const isWhole = report && title === `${report.title}, ${report.site}`;
  const paragraph = (name: string, text: string | undefined) =>
    text ? `<p class="${name}">${escapeHtml(text)}</p>` : "";
  const picture = logo === undefined ? "" : `<img class="logo" alt="" src="${escapeHtml(logo)}">`;
  const heading = `<h1>${escapeHtml(isWhole ? report.title : title)}</h1>${isWhole ? paragraph("site", report.site) : ""}`;
  const below = `${paragraph("summary", report?.summary)}<dl>${list.join("")}</dl>${paragraph("note", report?.notes?.join(" "))}`;
  return `<header class="report"><div class="top"><div>${heading}</div>${picture}</div>${below}</header>`;
}

/** Metadata of the PDF of a notebook's page. */
export function pdfFacts(notebook: Notebook, { title, client, preparedBy, locale = "en" }: PageMeta): PdfFacts {
  const front = readFrontMatter(notebook);
  const version = readRunRecord(notebook.metadata)?.version;
  return {
    title: title ?? front.title ?? summarizeNotebook(notebook).title ?? "Notebook",
    author: preparedBy ?? front.author,
    subject: reportHeaderOf(notebook)?.summary ?? front.subtitle,
    keywords: client,
    creator: version === undefined ? "Siteframe" : `Siteframe ${version}`,
    language: locale,
  };
}

/** Works without scripts, too; with scripts, the setting is remembered. */
const codeSwitch = `<label class="switch"><input type="checkbox" role="switch" checked>Code</label>`;

/** The head of a page with front matter; other pages begin with their first heading. */
function renderHead(front: FrontMatter, { title = front.title, logo }: PageMeta, about: string): string {
  if (title === undefined && logo === undefined) return "";
  const picture = logo === undefined ? "" : `<img class="logo" alt="" src="${escapeHtml(logo)}">`;
  const heading = title === undefined ? "" : `<h1>${escapeHtml(title)}</h1>`;
  const line = (name: string, text: string | undefined) =>
    text === undefined ? "" : `<p class="${name}">${escapeHtml(text)}</p>`;
  const by = [front.author, front.date].filter((text) => text !== undefined).join(", ");
  return `<header class="head">${picture}<div>${heading}${line("lead", front.subtitle)}${line("by", about || undefined)}${line("by", by || undefined)}</div></header>`;
}

/**
 * The subject of a page, from its parameters: the site, unless the title contains it, and the dates. Other parameters may be
 * URLs and keys, which must not be shown to every reader.
 */
function aboutLine(notebook: Notebook, title: string): string {
  const values = parameterValues(notebook);
  const { sites = [] } = readRunRecord(notebook.metadata) ?? {};
  const site = values.get("site");
  const named = sites.length > 0 || site === undefined ? sites : [String(site)];
  const isInTitle = (name: string) => title.toLowerCase().includes(name.toLowerCase());
  const dates = [...values].filter(([, value]) => isDate(value)).map(([name, value]) => `${name} ${value}`);
  return [...named.filter((name) => !isInTitle(name)), ...dates].join(", ");
}

/** TypeScript as HTML, with spans for comments, strings, numbers, keywords, types and calls. For display only. */
function highlightCode(code: string): string {
  let html = "";
  let end = 0;
  for (const token of codeTokens(code)) {
    end += token.value.length;
    const kind = tokenKind(token, code[end]);
    html += kind ? `<span class="${kind}">${escapeHtml(token.value)}</span>` : escapeHtml(token.value);
  }
  return html;
}

function tokenKind({ type, value }: CodeToken, next: string | undefined): string | undefined {
  switch (type) {
    case "SingleLineComment":
    case "MultiLineComment":
    case "HashbangComment":
      return "comment";
    case "StringLiteral":
    case "NoSubstitutionTemplate":
    case "TemplateHead":
    case "TemplateMiddle":
    case "TemplateTail":
    case "RegularExpressionLiteral":
      return "string";
    case "NumericLiteral":
      return "number";
    case "IdentifierName":
      if (keywords.has(value)) return "keyword";
      if (next === "(") return "call";
      return /^\p{Lu}/u.test(value) ? "type" : undefined;
    default:
      return undefined;
  }
}

function renderNeighbours({ previous, next }: PageMeta): readonly string[] {
  const link = (rel: string, to: PageLink | undefined, text: (title: string) => string) =>
    to ? `<a rel="${rel}" href="${escapeHtml(to.href)}">${escapeHtml(text(to.title))}</a>` : "";
  const links = [link("prev", previous, (title) => `← ${title}`), link("next", next, (title) => `${title} →`)];
  return links.some(Boolean)
    ? [`<nav class="neighbours" aria-label="Pages beside this one">${links.join('<span class="space"></span>')}</nav>`]
    : [];
}

/** Tags of nbconvert, Jupyter Book and Quarto, with hyphens or underscores. */
function hasTag(cell: Cell, name: string): boolean {
  return cellTags(cell).some((tag) => tag.replaceAll("_", "-") === name);
}

/** Whether JupyterLab has folded a part. */
function isFolded({ metadata }: Cell, part: "source_hidden" | "outputs_hidden"): boolean {
  return Reflect.get(Object(metadata["jupyter"]), part) === true;
}

/** Settings for rendering the cells of a page. */
interface CellPage {
  readonly noCode: boolean;
  readonly headings: PageHeadings;
}

/** Tag of cells that share a row with a neighbor. */
const HALF = "half-width";

/** All cells; two after each other that are half as wide as the page are in one row. */
function renderCells({ cells }: Notebook, page: CellPage): readonly string[] {
  const rendered: string[] = [];
  let half: string | undefined;
  for (const [index, cell] of cells.entries()) {
    const html = index === 0 && isFrontMatter(cell) ? "" : renderCell(cell, page);
    if (html === "") continue;
    const isHalf = hasTag(cell, HALF);
    if (isHalf && half !== undefined) {
      rendered[rendered.length - 1] = `<div class="row">${narrowed(half)}${narrowed(html)}</div>`;
      half = undefined;
      continue;
    }
    half = isHalf ? html : undefined;
    rendered.push(html);
  }
  return rendered;
}

/** The cell with the pictures for narrow pages. */
function narrowed(html: string): string {
  return html.replace(
    /<picture><source media="[^"]*" srcset="([^"]*)" width="(\d+)" height="(\d+)"><img alt="([^"]*)" src="[^"]*" width="\d+" height="\d+"/g,
    '<picture><img alt="$4" src="$1" width="$2" height="$3"',
  );
}

function renderCell(cell: Cell, page: CellPage): string {
  if (hasTag(cell, "remove-cell")) return "";
  const isHidden = hasTag(cell, "hide-cell") || (cell.cell_type !== "code" && isFolded(cell, "source_hidden"));
  const html = renderWhole(cell, page);
  return isHidden && html !== "" ? folded("Cell", html) : html;
}

/** Closed by default, and not printed. */
function folded(title: string, html: string, name = "folded"): string {
  return `<details class="${name}"><summary>${title}</summary>${html}</details>`;
}

function renderWhole(cell: Cell, page: CellPage): string {
  switch (cell.cell_type) {
    case "markdown": {
      const text = renderMarkdown(cell.source, { attachments: cell.attachments, headings: page.headings });
      return text === "" ? "" : `<section class="cell markdown">${text}</section>`;
    }
    case "raw":
      return `<section class="cell">${preformatted(escapeHtml(cell.source))}</section>`;
    default:
      return renderCodeCell(cell, page);
  }
}

function renderCodeCell(cell: CodeCell, { noCode, headings }: CellPage): string {
  if (cell.source.trim() === "" && cell.outputs.length === 0) return "";
  const count = cell.execution_count === null ? "" : `<span class="count">[${cell.execution_count}]</span>`;
  const tags = cellTags(cell)
    .filter((tag) => tag.endsWith("parameters"))
    .map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`);
  const written = `<div class="code">${count}${tags.join("")}<pre><code>${highlightCode(cell.source)}</code></pre></div>`;
  const isClosed = hasTag(cell, "hide-input") || isFolded(cell, "source_hidden");
  const code =
    noCode || hasTag(cell, "remove-input") ? "" : isClosed ? folded("Code", written, "folded of-code") : written;
  const isGone = hasTag(cell, "remove-output") || cell.outputs.length === 0;
  const rendered = isGone ? [] : cell.outputs.map((output) => renderOutput(output, headings)).filter(Boolean);
  const shown = rendered.length === 0 ? "" : `<div class="outputs">${rendered.join("\n")}</div>`;
  const outputs =
    shown && (hasTag(cell, "hide-output") || isFolded(cell, "outputs_hidden")) ? folded("Output", shown) : shown;
  if (code === "" && outputs === "") return "";
  const isIntro = code === "" && cell.outputs.every(isShortText);
  return `<section class="cell${code === "" ? " bare" : ""}${isIntro ? " intro" : ""}">${code}${outputs}</section>`;
}

/** Maximum characters of an introduction to the next output. */
const MOST_INTRO = 300;

/** Whether an output is an introduction to the next one, which pages do not separate from it. */
function isShortText(output: Output): boolean {
  if (!("data" in output)) return false;
  const { "text/markdown": text, "text/html": html } = output.data;
  return html === undefined && typeof text === "string" && text.length < MOST_INTRO;
}

/** Age of the oldest data of a notebook, for the head of its page; empty if unknown. */
function renderDataAge({ sources }: RunRecord): string {
  const oldest = oldestOf(sources);
  if (!oldest) return "";
  const others = sources.length > 1 ? " and later" : "";
  return `<span class="age">${provenanceText(partsOf(oldest), "age")}${others}</span>`;
}

function oldestOf(sources: readonly SourceRead[]): SourceRead | undefined {
  return [...sources].sort((a, b) => Date.parse(a.read_at) - Date.parse(b.read_at))[0];
}

/** Time, versions and sources of a notebook's run, for the footer of its page. */
function renderRunRecord(record: RunRecord, isForOthers: boolean, locale: string): string {
  // Other readers do not need addresses and versions.
  if (isForOthers) return `<footer><p>${escapeHtml(madeBy(record, locale))}</p></footer>`;
  const { version, node, executed_at, sources } = record;
  const run = `Executed ${minute(executed_at)} with Siteframe ${escapeHtml(version)} on Node ${escapeHtml(node)}.`;
  const read = sources.map((source) => `<li>${escapeHtml(provenanceText(partsOf(source), "caption"))}</li>`).join("");
  return `<footer><p>${run}</p>${read ? `<p>Data:</p><ul>${read}</ul>` : ""}</footer>`;
}

/** The footer of a report: when the data were read, and when it was made. */
function madeBy({ version, executed_at, sources }: RunRecord, locale: string): string {
  const say = translator(locale);
  const oldest = oldestOf(sources);
  const read = oldest && say("Data read {time}.", { time: minute(oldest.read_at, locale) });
  const made = say("Made {time} with Siteframe {version}.", { time: minute(executed_at, locale), version });
  return [read, made].filter((text) => text !== undefined).join(" ");
}

function partsOf({ read_at, ...read }: SourceRead): ProvenanceParts {
  return { ...read, readAt: new Date(read_at) };
}

function minute(instant: string, locale?: string): string {
  return formatMinute(new Date(instant), locale === undefined ? inUtc : { ...inUtc, locale });
}
