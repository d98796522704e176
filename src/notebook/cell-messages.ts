import type { MimeBundle } from "../display/mime-bundle.js";
import type { DisplayTarget, Outcome } from "../kernel/engine/language-engine.js";
import type { SourceRead } from "./run-record.js";

/** To the process that runs the cells. */
export interface ExecuteMessage {
  readonly code: string;
  readonly name: string;
}

/** From the process that runs the cells. It begins with `ready`; each execution ends with one `outcome`. */
export type CellMessage =
  | { readonly type: "ready" }
  | { readonly type: "stream"; readonly name: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "display"; readonly bundle: MimeBundle; readonly target: DisplayTarget | undefined }
  | { readonly type: "clear" }
  | { readonly type: "source"; readonly source: SourceRead }
  | { readonly type: "outcome"; readonly outcome: Outcome };
