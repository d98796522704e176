import type { ImportDeclaration, ImportDeclarationSpecifier } from "oxc-parser";

/** What an import takes that is not said to be a type. */
export function importedValues({ importKind, specifiers }: ImportDeclaration): readonly ImportDeclarationSpecifier[] {
  if (importKind === "type") return [];
  return specifiers.filter((each) => each.type !== "ImportSpecifier" || each.importKind !== "type");
}
