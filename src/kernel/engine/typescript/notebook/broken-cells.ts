import { parseSync } from "oxc-parser";
import type { TextEdit } from "vscode-languageserver-protocol";
import { withPart } from "../../cell/cell-positions.js";

/** Whether a cell can be read, and could not be with edits: what is written there is no name, or one that is declared. */
export function isBroken(code: string, edits: readonly TextEdit[], extension: string): boolean {
  return edits.length > 0 && isReadable(code, extension) && !isReadable(edited(code, edits), extension);
}

function isReadable(code: string, extension: string): boolean {
  const options = { sourceType: "module", astType: "ts", showSemanticErrors: true } as const;
  return parseSync(`cell${extension}`, code, options).errors.length === 0;
}

/** From the last to the first, so that places stay. */
function edited(code: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .sort(({ range: { start: a } }, { range: { start: b } }) => b.line - a.line || b.character - a.character)
    .reduce((text, { range, newText }) => withPart(text, range, newText), code);
}
