import { ArgumentError } from "../../core/errors.js";
import { toXlsx, type WorkbookOptions, type XlsxSheet } from "../../tables/export/to-xlsx.js";
import type { Notebook } from "../file/notebook.js";
import { keyFigures, sheetsOf, summarizeNotebook } from "./notebook-summary.js";

/** Options of a report's workbook. */
export interface ReportWorkbookOptions extends Pick<WorkbookOptions, "path" | "paper"> {
  readonly title: string;
  readonly author?: string | undefined;
}

/** Days in reports: 29 Nov 2026. */
const DAY = "d mmm yyyy";

/**
 * Writes the workbook of a report: the key figures of `kpis()` as the sheet Summary, and a sheet for each output of
 * `show()` with a name.
 *
 * @param notebook an executed notebook
 * @throws ArgumentError if the notebook has neither
 */
export async function writeWorkbook(
  notebook: Notebook,
  { path, paper, title, author }: ReportWorkbookOptions,
): Promise<void> {
  const figures = keyFigures(notebook);
  const tables = sheetsOf(notebook);
  if (figures.length + tables.length === 0) {
    throw new ArgumentError("siteframe report --xlsx: the notebook has neither key figures nor sheets.", {
      hint: 'Display the list as a sheet: show(list, { sheet: "List" }).',
    });
  }
  const period = summarizeNotebook(notebook).blurb;
  const since = figures.find((figure) => figure.since !== undefined)?.since;
  const summary: XlsxSheet = {
    name: "Summary",
    content: {
      title,
      lines: [period, author === undefined ? "" : `Prepared by ${author}`].filter(Boolean),
      since,
      figures: figures.map(({ label, unit, note, amount }) => ({ label, unit, note, ...amount })),
    },
  };
  await toXlsx([...(figures.length === 0 ? [] : [summary]), ...tables], {
    path,
    paper,
    dayFormat: DAY,
    properties: { title, subject: period || undefined, author },
  });
}
