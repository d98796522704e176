import { toHtml } from "../../../src/notebook/page/to-html.js";

/** A page of `siteframe run --html` whose cells have one output each. */
export function pageOf(...bundles: readonly Readonly<Record<string, unknown>>[]): string {
  const cells = bundles.map((data) => {
    const output = { output_type: "display_data", data, metadata: {} } as const;
    return { cell_type: "code", metadata: {}, source: "", execution_count: 1, outputs: [output] } as const;
  });
  return toHtml({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
}
