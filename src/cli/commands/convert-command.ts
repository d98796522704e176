import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { showValue } from "../../core/show-value.js";
import type { Cell, Notebook } from "../../notebook/file/notebook.js";
import { readNotebook, writeNotebook } from "../../notebook/file/notebook-file.js";
import { isScript, toPercentScript } from "../../notebook/file/percent-script.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { printMessage } from "../output/terminal.js";

/** Adds `siteframe convert`, which converts between notebooks and scripts. */
export function addConvertCommand(program: Command): void {
  program
    .command("convert")
    .summary("Convert between notebooks and scripts.")
    .description(
      "Convert a notebook to a script, or a script to a notebook. Scripts have cells between // %% and are easier to review. An existing notebook keeps its metadata and the outputs of unchanged cells.",
    )
    .argument("<from>", "notebook (.ipynb) or script (.ts)")
    .argument("<to>", "script (.ts) or notebook (.ipynb)")
    .action(convert);
}

async function convert(from: string, to: string): Promise<void> {
  const kinds = [from, to].map((path) =>
    isScript(path) ? "script" : path.endsWith(".ipynb") ? "notebook" : undefined,
  );
  if (kinds[0] === kinds[1] || kinds.includes(undefined)) {
    throw new ArgumentError(`siteframe convert: unsupported files ${showValue(from)} and ${showValue(to)}.`, {
      hint: "Convert one into the other: siteframe convert report.ipynb report.ts.",
    });
  }
  const notebook = await readNotebook(from);
  if (isScript(to)) {
    await makeFolderOf(to);
    await replaceFile(to, (temporary) => writeFile(temporary, toPercentScript(notebook)));
    const attached = notebook.cells.filter((cell) => "attachments" in cell).length;
    if (attached > 0) printMessage(`Left out the attached pictures of ${counted(attached, "cell")}.`);
    return;
  }
  await writeNotebook(existsSync(to) ? withOutputs(notebook, await readNotebook(to)) : notebook, to);
}

/** A notebook with the metadata and outputs of its previous version, which scripts do not contain. */
function withOutputs(notebook: Notebook, before: Notebook): Notebook {
  const left = [...before.cells];
  const match = (cell: Cell) => {
    const isSame = (other: Cell) => other.cell_type === cell.cell_type && other.source === cell.source;
    const byId = left.findIndex((other) => other.id === cell.id && isSame(other));
    const index = byId < 0 ? left.findIndex(isSame) : byId;
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const cells = notebook.cells.map((cell): Cell => {
    const same = match(cell);
    if (same?.cell_type === "code" && cell.cell_type === "code") {
      return { ...cell, outputs: same.outputs, execution_count: same.execution_count };
    }
    return same && "attachments" in same ? ({ ...cell, attachments: same.attachments } as Cell) : cell;
  });
  const { kernelspec = before.metadata["kernelspec"], ...more } = notebook.metadata;
  const isSameKernel = isDeepStrictEqual(kernelspec, before.metadata["kernelspec"]);
  return {
    ...notebook,
    cells,
    metadata: {
      ...(isSameKernel ? before.metadata : {}),
      ...more,
      ...(kernelspec === undefined ? {} : { kernelspec }),
    },
  };
}
