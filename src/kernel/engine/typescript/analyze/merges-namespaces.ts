import type { Node } from "oxc-parser";

/** Whether a namespace has the name of another, or of an enum, whose members it can name. */
export function mergesNamespaces(statements: readonly Node[]): boolean {
  const all = statements.map((each) => (each.type === "ExportNamedDeclaration" && each.declaration) || each);
  const names = all.flatMap((node) => {
    const isOne = node.type === "TSModuleDeclaration" || node.type === "TSEnumDeclaration";
    return isOne && node.id.type === "Identifier" ? [node.id.name] : [];
  });
  return all.some(({ type }) => type === "TSModuleDeclaration") && new Set(names).size < names.length;
}
