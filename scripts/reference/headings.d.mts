/** A heading of a Markdown page. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  /** The anchor that GitHub gives it. */
  readonly anchor: string;
}

export function headings(markdown: string): Heading[];
