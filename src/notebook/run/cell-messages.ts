import type { DisplayTarget, Outcome, PlannedCell } from "../../kernel/engine/cell/language-engine.js";
import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import type { SourceRead } from "./run-record.js";

/** Messages to the process that runs the cells: first the list of cells, then each cell in turn. */
export type ToCellsMessage =
  | { readonly type: "prepare"; readonly cells: readonly PlannedCell[] }
  | { readonly type: "execute"; readonly cell: PlannedCell };

/**
 * Messages from the process that runs the cells. The first is `ready`; each execution ends with one `outcome`. `cell` is the
 * name of the cell of an output, which may have ended before.
 */
export type CellMessage =
  | { readonly type: "ready" }
  | { readonly type: "stream"; readonly cell: string; readonly name: "stdout" | "stderr"; readonly text: string }
  | {
      readonly type: "display";
      readonly cell: string;
      readonly bundle: MimeBundle;
      readonly target: DisplayTarget | undefined;
    }
  | { readonly type: "clear"; readonly cell: string }
  | { readonly type: "source"; readonly source: SourceRead }
  | { readonly type: "site"; readonly name: string }
  | { readonly type: "outcome"; readonly outcome: Outcome };
