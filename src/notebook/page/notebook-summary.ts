import { Lexer } from "marked";
import type { Cell, Notebook } from "../file/notebook.js";

/** What an index says of a notebook. */
export interface NotebookSummary {
  /** The first heading. */
  readonly title: string | undefined;
  /** The first paragraph, as plain text. */
  readonly paragraph: string;
  /** The first SVG image among the outputs. */
  readonly svg: string | undefined;
}

/** Reads a notebook's title, first paragraph and first figure. */
export function summarizeNotebook({ cells }: Notebook): NotebookSummary {
  const tokens = cells.filter((cell) => cell.cell_type === "markdown").flatMap((cell) => new Lexer().lex(cell.source));
  const title = tokens.find((token) => token.type === "heading");
  const paragraph = tokens.find((token) => token.type === "paragraph");
  return {
    title: title && "text" in title ? plainText(title.text) : undefined,
    paragraph: paragraph && "text" in paragraph ? plainText(paragraph.text) : "",
    svg: cells.flatMap(svgOutputs)[0],
  };
}

function svgOutputs(cell: Cell): string[] {
  if (cell.cell_type !== "code") return [];
  return cell.outputs.flatMap((output) => {
    const svg = "data" in output ? output.data["image/svg+xml"] : undefined;
    return typeof svg === "string" ? [svg] : [];
  });
}

/** Good enough for a line of summary: links become their text, marks of emphasis and code go. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|\b_|_\b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
