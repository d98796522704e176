import type { CodeSyntax } from "../analyze/analyze-code.js";

/** A cell's text without declarations of modules that there are not, and these. */
export interface AmbientModules {
  /** As long as the cell, so that all places stay. */
  readonly rest: string;
  readonly declarations: string;
}

/** A file that is a module can only add to modules that there are; others are declared in a file of their own. */
export function ambientModules(code: string, { program }: CodeSyntax): AmbientModules {
  let rest = code;
  const declarations: string[] = [];
  for (const statement of program.body) {
    if (statement.type !== "TSModuleDeclaration" || statement.id.type !== "Literal") continue;
    const { start, end } = statement;
    const text = code.slice(start, end);
    declarations.push(text);
    rest = rest.slice(0, start) + text.replace(/[^\n]/g, " ") + rest.slice(end);
  }
  return { rest, declarations: declarations.join("\n") };
}
