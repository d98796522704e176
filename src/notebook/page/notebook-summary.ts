import type { Token } from "marked";
import { formatDuration } from "../../core/format/format-duration.js";
import { isKpiList, kpiMime, type ShownKpi } from "../../plot/figure/kpis.js";
import { fallbackOf } from "../../tables/display/view.js";
import type { ExportTable } from "../../tables/export/export-table.js";
import { isSheetPayload, payloadTable, sheetMime } from "../../tables/export/sheet-payload.js";
import type { Cell, Notebook } from "../file/notebook.js";
import { readRunRecord } from "../run/run-record.js";
import { markdownTokens, plainText } from "./markdown-tokens.js";
import { terminalText } from "./terminal-text.js";

/** Maximum characters of a picture: a map of thousands of features would be larger than the rest of the index. */
const MOST_PICTURE = 64_000;
/** Maximum characters of a blurb after its first sentence. */
const ROOM = 150;

/** A notebook's entry in an index. */
interface NotebookSummary {
  /** The first heading, from Markdown or an output in Markdown, and the site: `Punch list, Llano Verde`. */
  readonly title: string | undefined;
  /** The only site that it reads, unless its first heading contains it. */
  readonly site: string | undefined;
  /** The first sentences of the first paragraph, as plain text. */
  readonly blurb: string;
  /** The first figure in the outputs that is small enough for an index, as a `data:` URL. */
  readonly picture: string | undefined;
}

/** Reads a notebook's title, first paragraph and first figure. */
export function summarizeNotebook({ cells, metadata }: Notebook): NotebookSummary {
  const tokens = cells.flatMap(markdownOf).flatMap((text) => [...markdownTokens(text)]);
  const heading = tokens.find((token) => token.type === "heading");
  const paragraph = tokens.find((token) => token.type === "paragraph");
  const title = lineOf(heading);
  const [read, ...others] = (readRunRecord(metadata)?.sites ?? []).map(oneLine);
  const isNamed = title !== undefined && read !== undefined && title.toLowerCase().includes(read.toLowerCase());
  const site = others.length > 0 || isNamed ? undefined : read;
  return {
    title: title === undefined || site === undefined ? title : `${title}, ${site}`,
    site,
    blurb: firstSentences(lineOf(paragraph) ?? ""),
    picture: cells.flatMap(picturesOf).find(({ length }) => length <= MOST_PICTURE),
  };
}

/** The outputs of a notebook in a format for programs, in the order of the notebook. */
function outputsAs({ cells }: Notebook, mime: string): readonly unknown[] {
  return cells
    .flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : []))
    .flatMap((output) => ("data" in output ? [output.data[mime]] : []));
}

/** The key figures of all `kpis()` outputs. */
export function keyFigures(notebook: Notebook): readonly ShownKpi[] {
  return outputsAs(notebook, kpiMime).flatMap((figures) => (isKpiList(figures) ? figures : []));
}

/** The tables of all outputs of `show()` with a sheet. */
export function sheetsOf(notebook: Notebook): readonly { readonly name: string; readonly content: ExportTable }[] {
  return outputsAs(notebook, sheetMime)
    .filter(isSheetPayload)
    .map((sheet) => ({ name: sheet.name, content: payloadTable(sheet) }));
}

function markdownOf(cell: Cell): readonly string[] {
  if (cell.cell_type === "markdown") return [cell.source];
  if (cell.cell_type !== "code") return [];
  return cell.outputs.flatMap((output) => {
    const markdown = "data" in output ? output.data["text/markdown"] : undefined;
    return typeof markdown === "string" ? [markdown] : [];
  });
}

function picturesOf(cell: Cell): string[] {
  if (cell.cell_type !== "code") return [];
  return cell.outputs.flatMap((output) => {
    if (!("data" in output)) return [];
    const { "image/svg+xml": svg, "text/html": html } = output.data;
    if (typeof svg === "string") return [`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`];
    return (typeof html === "string" && fallbackOf(html, "narrow")) || [];
  });
}

/** Maximum characters searched for sentences: the time grows quadratically with the length of a sentence. */
const MOST_READ = 5000;

/** Complete sentences that fit on a card, at least the first. */
function firstSentences(text: string): string {
  let blurb = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text.slice(0, MOST_READ))) {
    if (blurb !== "" && blurb.length + segment.trimEnd().length > ROOM) break;
    blurb += segment;
  }
  return blurb.trim();
}

/** The words of a heading or a paragraph on one line. */
function lineOf(token: Token | undefined): string | undefined {
  return token && "tokens" in token && token.tokens ? oneLine(terminalText(plainText(token.tokens))) : undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Status and duration of a run. */
export interface RunSummary {
  readonly status?: "ok" | "failed";
  readonly durationMs?: number;
}

/** The status and the duration as HTML, for a page's bar. */
export function renderRunSummary({ status, durationMs }: RunSummary): string {
  const pill = status
    ? `<span class="status ${status}">${status === "ok" ? "ran without errors" : "failed"}</span>`
    : "";
  return durationMs === undefined ? pill : `${pill}<span>${formatDuration(durationMs)}</span>`;
}
