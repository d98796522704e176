import type { Notebook, Output } from "../file/notebook.js";

/** A cell whose outputs differ from the stored ones. */
export interface OutputDifference {
  /** Index in `notebook.cells`. */
  readonly cellIndex: number;
  readonly stored: string;
  readonly now: string;
}

/**
 * Compares the outputs of two runs of a notebook as a reader would: printed text, plain text and formats of results, and
 * errors by name and message. Cells without stored outputs differ if they have any now. Counts and metadata are ignored.
 */
export function compareOutputs(stored: Notebook, executed: Notebook): readonly OutputDifference[] {
  const before = codeOutputs(stored);
  const after = codeOutputs(executed);
  return after.flatMap(({ cellIndex, text: now }, index) => {
    const text = before[index]?.text ?? "";
    return text === now ? [] : [{ cellIndex, stored: text, now }];
  });
}

function codeOutputs({ cells }: Notebook): readonly { readonly cellIndex: number; readonly text: string }[] {
  return cells.flatMap((cell, cellIndex) =>
    cell.cell_type === "code" ? [{ cellIndex, text: describe(cell.outputs) }] : [],
  );
}

/** Text printed in several pieces equals the same text in one piece. */
function describe(outputs: readonly Output[]): string {
  const merged: { label: string; text: string }[] = [];
  for (const output of outputs) {
    const next = describeOne(output);
    const last = merged.at(-1);
    if (last?.label === next.label && output.output_type === "stream") last.text += next.text;
    else merged.push(next);
  }
  return merged.map(({ label, text }) => `[${label}] ${text.trimEnd()}`).join("\n");
}

function describeOne(output: Output): { label: string; text: string } {
  switch (output.output_type) {
    case "stream":
      return { label: output.name, text: output.text };
    case "error":
      return { label: "error", text: `${output.ename}: ${output.evalue}` };
    default:
      return { label: Object.keys(output.data).sort().join(", "), text: String(output.data["text/plain"] ?? "") };
  }
}
