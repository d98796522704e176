// Contents of workbooks besides tables. Public types refer to them, so they do not need the optional package.

/** A key figure of a report. */
export interface SummaryFigure {
  readonly label: string;
  /** A string such as a date, or null if unknown. */
  readonly value: number | string | null;
  readonly unit?: string | undefined;
  /** Value in the last report; null if unknown, undefined if it is not compared. */
  readonly before?: number | null | undefined;
  readonly decimals: number;
  readonly note?: string | undefined;
}

/** The first sheet of a report. */
export interface SheetSummary {
  readonly title: string;
  /** Lines below the title: the period, the author. */
  readonly lines: readonly string[];
  /** Date of the last report, as displayed. */
  readonly since?: string | undefined;
  readonly figures: readonly SummaryFigure[];
}

/** Properties of a workbook, for programs and people that search for files. */
export interface WorkbookProperties {
  readonly title?: string | undefined;
  readonly subject?: string | undefined;
  readonly author?: string | undefined;
  readonly created: Date;
}

/** Paper of a printed workbook. */
export type PaperSize = "A4" | "Letter";
