import { isDate } from "../../api/property-types.js";
import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import { formatMinute, inUtc } from "../../core/format/format-date.js";
import { type ProvenanceParts, provenanceText } from "../../core/format/format-provenance.js";
import { escapeHtml } from "../../tables/display/text.js";
import { type FrontMatter, isFrontMatter, readFrontMatter } from "../file/front-matter.js";
import { parameterValues } from "../file/inject-parameters.js";
import { type Cell, type CodeCell, cellTags, type Notebook } from "../file/notebook.js";
import { type RunRecord, readRunRecord, type SourceRead } from "../run/run-record.js";
import { type RunSummary, renderRunSummary, summarizeNotebook } from "./notebook-summary.js";
import { PageHeadings } from "./page-headings.js";
import { pageScript, pageShell } from "./page-shell.js";
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
  const { noCode = false, paper } = meta;
  const back = meta.indexHref === undefined ? "" : `<a href="${escapeHtml(meta.indexHref)}">← All notebooks</a>`;
  const record = readRunRecord(notebook.metadata);
  const age = record ? renderDataAge(record) : "";
  const facts = noCode ? "" : renderRunSummary(meta);
  const foot = [...renderNeighbours(meta), ...(record ? [renderRunRecord(record, noCode)] : [])];
  // A title set by the user is not changed.
  const headings = new PageHeadings(given === undefined ? { site: summary.site } : { isTitled: true });
  const cells = notebook.cells.map((cell, index) => {
    return index === 0 && isFrontMatter(cell) ? "" : renderCell(cell, { noCode, headings });
  });
  const hasCode = cells.some((cell) => cell.includes('<div class="code">'));
  const bar = `<nav class="bar" aria-label="This page">${back}<span class="space"></span>${age}${facts}${hasCode ? codeSwitch : ""}</nav>`;
  const hasViews = cells.some((cell) => cell.includes("<iframe"));
  const script =
    hasCode || hasViews || headings.contents() !== "" ? `<script class="page-script">${pageScript}</script>` : "";
  const head = renderHead(front, meta, aboutLine(notebook, title));
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
      // As an element, it could be alone on the last page.
      foot: record && noCode ? madeBy(record) : undefined,
    },
  );
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
  return `<section class="cell${code === "" ? " bare" : ""}">${code}${outputs}</section>`;
}

/** Age of the oldest data of a notebook, for the head of its page; empty if unknown. */
function renderDataAge({ sources }: RunRecord): string {
  const [oldest] = [...sources].sort((a, b) => Date.parse(a.read_at) - Date.parse(b.read_at));
  if (!oldest) return "";
  const others = sources.length > 1 ? " and later" : "";
  return `<span class="age">${provenanceText(partsOf(oldest), "age")}${others}</span>`;
}

/** Time, versions and sources of a notebook's run, for the footer of its page. */
function renderRunRecord(record: RunRecord, isForOthers: boolean): string {
  // Other readers do not need addresses and versions; the age of the data is in the head.
  if (isForOthers) return `<footer><p>${escapeHtml(madeBy(record))}</p></footer>`;
  const { version, node, executed_at, sources } = record;
  const run = `Executed ${minute(executed_at)} with Siteframe ${escapeHtml(version)} on Node ${escapeHtml(node)}.`;
  const read = sources.map((source) => `<li>${escapeHtml(provenanceText(partsOf(source), "caption"))}</li>`).join("");
  return `<footer><p>${run}</p>${read ? `<p>Data:</p><ul>${read}</ul>` : ""}</footer>`;
}

function madeBy({ version, executed_at }: RunRecord): string {
  return `Made ${minute(executed_at)} with Siteframe ${version}.`;
}

function partsOf({ read_at, ...read }: SourceRead): ProvenanceParts {
  return { ...read, readAt: new Date(read_at) };
}

function minute(instant: string): string {
  return formatMinute(new Date(instant), inUtc);
}
