import type { Cell, Row, Sheet } from "write-excel-file/node";
import type { SheetSummary, SummaryFigure } from "./workbook-content.js";
import type { SheetFile } from "./workbook-parts.js";

/** Whether the content of a sheet is a summary. */
export function isSummary(content: object): content is SheetSummary {
  return "figures" in content;
}

/** Style of the header of a table. */
export const headerStyle = {
  fontWeight: "bold",
  backgroundColor: "#E3EBF3",
  bottomBorderColor: "#7B8FA5",
  bottomBorderStyle: "thin",
} as const;

/** Style of a string after a number. */
export const INDENT = { align: "left", indent: 1 } as const;

const TITLE_SIZE = 16;
const widths = [30, 14, 16, 22, 14, 44] as const;

/** Space between a number and the text after it, by column. */
const indents: Readonly<Record<number, typeof INDENT>> = { 2: INDENT, 5: INDENT };

/**
 * Returns the sheet of a summary: the title, its lines, and the key figures as numbers, with units in a column since
 * each figure has another one.
 *
 * @param textOf a string as a cell, with the name of its column
 */
export function summarySheet(
  { title, lines, since, figures }: SheetSummary,
  textOf: (text: string, name: string) => Cell,
): Sheet<SheetFile> {
  const before = since === undefined ? "Before" : `Before (${since})`;
  const header = ["Key figure", "Value", "Unit", before, "Change", "Note"].map((name, index): Cell => {
    return { value: name, ...headerStyle, ...([1, 3, 4].includes(index) ? { align: "right" } : indents[index]) };
  });
  const top: Row[] = [
    [{ value: textOf(title, "title") as string, fontWeight: "bold", fontSize: TITLE_SIZE }],
    ...lines.map((line): Row => [textOf(line, "lines")]),
    [],
    header,
  ];
  const rows = figures.map((figure): Row => {
    const { label, value, unit = "", note = "" } = figure;
    return [
      textOf(label, "label"),
      typeof value === "string" ? { value: textOf(value, "value") as string, align: "right" } : number(value, figure),
      { value: textOf(unit, "unit") as string, ...indents[2] },
      number(figure.before, figure),
      number(changeOf(figure), figure, "change"),
      { value: textOf(note, "note") as string, ...indents[5] },
    ];
  });
  return {
    data: [...top, ...rows],
    stickyRowsCount: top.length,
    showGridLines: false,
    columns: widths.map((width) => ({ width })),
  };
}

function changeOf({ value, before }: SummaryFigure): number | undefined {
  return typeof value === "number" && typeof before === "number" ? value - before : undefined;
}

function number(value: number | null | undefined, { decimals }: SummaryFigure, form?: "change"): Cell {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  const digits = decimals === 0 ? "#,##0" : `#,##0.${"0".repeat(decimals)}`;
  return { value, type: Number, format: form === undefined ? digits : `+${digits};-${digits};0` };
}
