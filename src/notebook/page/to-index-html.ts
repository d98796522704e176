import { counted } from "../../core/counted.js";
import { formatDuration } from "../../core/format/format-duration.js";
import { escapeHtml } from "../../tables/display/text.js";
import { cellTags, type Notebook } from "../file/notebook.js";
import { type RunSummary, renderRunSummary, summarizeNotebook } from "./notebook-summary.js";
import { pageShell } from "./page-shell.js";
import { renderOutput } from "./render-output.js";

/** A notebook in an index. */
export interface IndexEntry extends RunSummary {
  /** Path of its page, relative to the index. */
  readonly href: string;
  readonly notebook: Notebook;
}

/**
 * Returns a page with the outputs of the cells tagged `highlight`, and below them a card for each notebook: its figure,
 * title, first sentences, and the result of the run.
 *
 * @param durationMs of all runs. Default: the sum of all runs
 */
export function toIndexHtml(entries: readonly IndexEntry[], title = "Notebooks", durationMs = sumOf(entries)): string {
  const lead = `<p class="lead">${escapeHtml(leadText(entries, durationMs))}</p>`;
  const cards = entries.map(renderCard).join("\n");
  const main = `${entries.map(renderGlance).join("\n")}\n<div class="cards">\n${cards}\n</div>`;
  return pageShell(title, `<main><h1>${escapeHtml(title)}</h1>\n${lead}\n${main}</main>`);
}

function renderGlance({ href, notebook }: IndexEntry): string {
  const highlights = renderTaggedOutputs(notebook);
  if (highlights === "") return "";
  const { title = href } = summarizeNotebook(notebook);
  const heading = `<h2>At a glance: <a href="${escapeHtml(href)}">${escapeHtml(title)}</a></h2>`;
  return `<section>${heading}<div class="outputs">${highlights}</div></section>`;
}

function sumOf(entries: readonly IndexEntry[]): number {
  return entries.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
}

function leadText(entries: readonly IndexEntry[], total: number): string {
  const failed = entries.filter(({ status }) => status === "failed").length;
  return `${counted(entries.length, "notebook")}, ${failed === 0 ? "no errors" : `${failed} failed`}, ${formatDuration(total)} in all`;
}

function renderCard({ href, notebook, ...facts }: IndexEntry): string {
  const { title = href, blurb, picture } = summarizeNotebook(notebook);
  const thumbnail = picture
    ? `<img alt="" src="${escapeHtml(picture)}">`
    : `<span class="letter" aria-hidden="true">${escapeHtml(title.slice(0, 1))}</span>`;
  return `<a class="card" href="${escapeHtml(href)}">
<div class="thumbnail">${thumbnail}</div>
<div class="words"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(blurb)}</p>
<div class="bar">${renderRunSummary(facts)}</div></div></a>`;
}

/** The outputs of the cells tagged `highlight`, for the overview in an index. */
function renderTaggedOutputs({ cells }: Notebook): string {
  return cells
    .flatMap((cell) => (cell.cell_type === "code" && cellTags(cell).includes("highlight") ? cell.outputs : []))
    .filter((output) => output.output_type !== "stream")
    .map((output) => renderOutput(output))
    .join("\n");
}
