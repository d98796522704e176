import type { Node } from "oxc-parser";

/** Kinds of TypeScript's own that hold code which runs. */
const runningTypeScript: ReadonlySet<Node["type"]> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSModuleDeclaration",
  "TSExportAssignment",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSAbstractAccessorProperty",
]);

/** Whether nothing is left of a node when the types are gone. */
export function isType(node: Node): boolean {
  const { type } = node;
  if (type === "TSImportEqualsDeclaration") return node.importKind === "type";
  return type.startsWith("TS") && !runningTypeScript.has(type);
}
