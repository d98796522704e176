import { parseSync } from "oxc-parser";
import { importCode } from "./import-code.js";

/** Makes calls of the imports that were written for JSX. Each stands on a line of its own. */
export function importsOfJsx(code: string): string {
  const { program } = parseSync("cell.js", code, { sourceType: "module", astType: "ts" });
  let result = code;
  for (const statement of [...program.body].reverse()) {
    if (statement.type !== "ImportDeclaration") continue;
    result = result.slice(0, statement.start) + importCode(statement) + result.slice(statement.end);
  }
  return result;
}
