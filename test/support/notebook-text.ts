/** A code cell with stored outputs. */
export interface StoredCell {
  readonly source: string;
  readonly bundles?: readonly object[];
}

/** The content of a notebook file for the Siteframe kernel. */
export function notebookText(cells: readonly StoredCell[]): string {
  const metadata = {
    kernelspec: { name: "siteframe", display_name: "TypeScript (Siteframe)", language: "typescript" },
  };
  const code = cells.map(({ source, bundles = [] }, index) => ({
    ...{ cell_type: "code", id: `c${index}`, metadata: {}, execution_count: null, source },
    outputs: bundles.map((data) => ({ output_type: "display_data", data, metadata: {} })),
  }));
  return JSON.stringify({ cells: code, metadata, nbformat: 4, nbformat_minor: 5 });
}
