import type { Node } from "oxc-parser";

/** A declaration without the `export` around it. */
export function declarationOf(statement: Node): Node {
  return (statement.type === "ExportNamedDeclaration" && statement.declaration) || statement;
}
