import { toHtml } from "../../../src/notebook/page/to-html.js";

/** A page of `siteframe run --html` with one output. */
export function pageOf(data: Readonly<Record<string, unknown>>): string {
  const output = { output_type: "display_data", data, metadata: {} } as const;
  const cell = { cell_type: "code", metadata: {}, source: "", execution_count: 1, outputs: [output] } as const;
  return toHtml({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
}
