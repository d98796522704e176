import { cellTags } from "../file/cell-tags.js";
import type { Notebook } from "../file/notebook.js";
import { renderOutput } from "./render-output.js";

/** The outputs of the cells tagged `highlight`, for an index: what the notebook shows at a glance. */
export function renderTaggedOutputs({ cells }: Notebook): string {
  return cells
    .flatMap((cell) => (cell.cell_type === "code" && cellTags(cell).includes("highlight") ? cell.outputs : []))
    .filter((output) => output.output_type !== "stream")
    .map(renderOutput)
    .join("\n");
}
