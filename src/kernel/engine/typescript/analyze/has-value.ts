import type { Node } from "oxc-parser";

const typesOnly: ReadonlySet<Node["type"]> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "EmptyStatement",
]);

/** Whether anything is left of a statement when its types are gone. */
export function hasValue(statement: Node): boolean {
  if (typesOnly.has(statement.type)) return false;
  if ("declare" in statement && statement.declare) return false;
  if (statement.type === "ExportNamedDeclaration") {
    return statement.declaration ? hasValue(statement.declaration) : statement.exportKind !== "type";
  }
  if (statement.type === "TSImportEqualsDeclaration") return statement.importKind !== "type";
  if (statement.type !== "TSModuleDeclaration") return true;
  return statement.kind !== "global" && (statement.body?.body.some(hasValue) ?? false);
}
