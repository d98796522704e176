import type { CellPosition } from "./cell-positions.js";
import type { CellError } from "./language-engine.js";
import { sourceExcerpt } from "./source-excerpt.js";

/** What the compiler complains about, and where. */
export interface Problem {
  readonly position: CellPosition;
  readonly message: string;
}

const maxShown = 5;

/** Type and syntax errors of a cell as one error, with the place and the source of each. */
export function problemError(problems: readonly Problem[], code: string, cellName: string): CellError {
  const first = problems[0];
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more errors`] : [];
  const shown = problems
    .slice(0, maxShown)
    .flatMap(({ position, message }) => [
      `${cellName}:${position.line}:${position.column} - ${message}`,
      ...sourceExcerpt(code, position, 1),
      "",
    ]);
  return {
    ename: "TypeScriptError",
    evalue: first
      ? `${first.position.line}:${first.position.column} - ${first.message}`
      : "The cell cannot be compiled.",
    traceback: [...shown, ...more],
    ...first?.position,
  };
}
