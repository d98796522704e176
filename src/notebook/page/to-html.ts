import { escapeHtml } from "../../display/text/escape-html.js";
import { cellTags } from "../file/cell-tags.js";
import type { Cell, CodeCell, Notebook } from "../file/notebook.js";
import { readRunRecord } from "../run/run-record.js";
import { highlightCode } from "./highlight-code.js";
import { summarizeNotebook } from "./notebook-summary.js";
import { pageShell } from "./page-shell.js";
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
}

/** A notebook as one HTML page that needs no other file. */
export function toHtml(notebook: Notebook, meta: PageMeta = {}): string {
  const title = meta.title ?? summarizeNotebook(notebook).title ?? "Notebook";
  const back = meta.indexHref === undefined ? "" : `<a href="${escapeHtml(meta.indexHref)}">← All notebooks</a>`;
  const record = readRunRecord(notebook.metadata);
  const age = record ? renderDataAge(record) : "";
  const bar = `<nav class="bar">${back}<span class="space"></span>${age}${renderRunFacts(meta)}</nav>`;
  const foot = record ? [renderRunRecord(record)] : [];
  return pageShell(title, [bar, "<main>", ...notebook.cells.map(renderCell), "</main>", ...foot].join("\n"));
}

function renderCell(cell: Cell): string {
  switch (cell.cell_type) {
    case "markdown":
      return `<section class="cell markdown">${renderMarkdown(cell.source)}</section>`;
    case "raw":
      return `<section class="cell"><pre>${escapeHtml(cell.source)}</pre></section>`;
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
