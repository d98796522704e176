import { escapeHtml } from "../../tables/display/text/escape-html.js";
import { cellTags } from "../file/cell-tags.js";
import type { Cell, CodeCell, Notebook } from "../file/notebook.js";
import { readRunRecord } from "../run/run-record.js";
import { highlightCode } from "./highlight-code.js";
import { summarizeNotebook } from "./notebook-summary.js";
import { pageShell } from "./page-shell.js";
import { preformatted } from "./preformatted.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderOutput } from "./render-output.js";
import { renderDataAge, renderRunRecord } from "./render-run-record.js";
import { type RunFacts, renderRunFacts } from "./run-facts.js";

/** What a page says besides the notebook. */
export interface PageMeta extends RunFacts {
  /** By default the notebook's first heading. */
  readonly title?: string;
  /** A link back to the index. */
  readonly indexHref?: string;
  /** The pages before and after this one in the index. */
  readonly previous?: PageLink | undefined;
  readonly next?: PageLink | undefined;
}

/** A page beside this one. */
export interface PageLink {
  readonly href: string;
  readonly title: string;
}

/** A notebook as one HTML page that needs no other file. */
export function toHtml(notebook: Notebook, meta: PageMeta = {}): string {
  const title = meta.title ?? summarizeNotebook(notebook).title ?? "Notebook";
  const back = meta.indexHref === undefined ? "" : `<a href="${escapeHtml(meta.indexHref)}">← All notebooks</a>`;
  const record = readRunRecord(notebook.metadata);
  const age = record ? renderDataAge(record) : "";
  const bar = `<nav class="bar" aria-label="This page">${back}<span class="space"></span>${age}${renderRunFacts(meta)}</nav>`;
  const foot = [...renderNeighbours(meta), ...(record ? [renderRunRecord(record)] : [])];
  return pageShell(title, [bar, "<main>", ...notebook.cells.map(renderCell), "</main>", ...foot].join("\n"));
}

function renderNeighbours({ previous, next }: PageMeta): readonly string[] {
  const link = (rel: string, to: PageLink | undefined, text: (title: string) => string) =>
    to ? `<a rel="${rel}" href="${escapeHtml(to.href)}">${escapeHtml(text(to.title))}</a>` : "";
  const links = [link("prev", previous, (title) => `← ${title}`), link("next", next, (title) => `${title} →`)];
  return links.some(Boolean)
    ? [`<nav class="neighbours" aria-label="Pages beside this one">${links.join('<span class="space"></span>')}</nav>`]
    : [];
}

function renderCell(cell: Cell): string {
  switch (cell.cell_type) {
    case "markdown":
      return `<section class="cell markdown">${renderMarkdown(cell.source, cell.attachments)}</section>`;
    case "raw":
      return `<section class="cell">${preformatted(escapeHtml(cell.source))}</section>`;
    default:
      return renderCodeCell(cell);
  }
}

function renderCodeCell(cell: CodeCell): string {
  if (cell.source.trim() === "" && cell.outputs.length === 0) return "";
  const count = cell.execution_count === null ? "" : `<span class="count">[${cell.execution_count}]</span>`;
  const tags = cellTags(cell)
    .filter((tag) => tag.endsWith("parameters"))
    .map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`);
  const code = `<div class="code">${count}${tags.join("")}<pre><code>${highlightCode(cell.source)}</code></pre></div>`;
  const outputs =
    cell.outputs.length > 0 ? `<div class="outputs">${cell.outputs.map(renderOutput).join("\n")}</div>` : "";
  return `<section class="cell">${code}${outputs}</section>`;
}
