import type { Node } from "oxc-parser";
import { declarationOf } from "./declaration-of.js";
import { statementNames } from "./declare-statements.js";

/** For each namespace and enum among statements, what can be named in it: also what others of its name export. */
export function mergedMembers(statements: readonly Node[]): ReadonlyMap<Node, readonly string[]> {
  const all = statements.map(declarationOf).flatMap((node) => {
    if (node.type !== "TSModuleDeclaration" && node.type !== "TSEnumDeclaration") return [];
    return node.id.type === "Identifier" ? [{ node, name: node.id.name, members: membersOf(node) }] : [];
  });
  const byName = new Map<string, string[]>();
  for (const { name, members } of all) byName.set(name, [...(byName.get(name) ?? []), ...members]);
  return new Map(all.map(({ node, name }) => [node, byName.get(name) ?? []]));
}

function membersOf(node: Node & { readonly type: "TSModuleDeclaration" | "TSEnumDeclaration" }): readonly string[] {
  if (node.type === "TSEnumDeclaration") {
    return node.body.members.flatMap(({ id }) => ("name" in id ? id.name : "value" in id ? String(id.value) : []));
  }
  return (node.body?.body ?? []).flatMap((each) =>
    each.type === "ExportNamedDeclaration" ? statementNames(each) : [],
  );
}
