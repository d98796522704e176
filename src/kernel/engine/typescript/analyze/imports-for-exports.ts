import type { Node } from "oxc-parser";
import { statementNames } from "./scope.js";
import { exportName, type Language, parseModule } from "./syntax.js";

/** Whether there may be something to do, which is seldom. */
const mayExportFrom = /\bexport\b[^'"]*\bfrom\b/;

/**
 * Code in which `export { a as b } from "m"` and `export * as m from "m"` are imports, equally long: in a cell they declare
 * the names that they export. What cannot be an import, as of the name `default`, stays.
 */
export function importsForExports(code: string, language: Language): string {
  if (!mayExportFrom.test(code)) return code;
  const { body } = parseModule(`cell.${language}`, code).program;
  const taken = new Set(body.flatMap(statementNames));
  let imports = code;
  for (const statement of body) {
    const names = exportedNames(statement);
    if (names.length === 0 || names.some((name) => taken.has(name))) continue;
    const { start } = statement;
    const tried = `${imports.slice(0, start)}import${imports.slice(start + "export".length)}`;
    if (parseModule(`cell.${language}`, tried).errors.length > 0) continue;
    for (const name of names) taken.add(name);
    imports = tried;
  }
  return imports;
}

/** Names that a statement exports from another module. */
function exportedNames(statement: Node): readonly string[] {
  if (statement.type === "ExportAllDeclaration") return statement.exported ? [exportName(statement.exported)] : [];
  if (statement.type !== "ExportNamedDeclaration" || !statement.source) return [];
  return statement.specifiers.map(({ exported }) => exportName(exported));
}
