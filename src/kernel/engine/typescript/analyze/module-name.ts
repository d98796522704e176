import type { Node } from "oxc-parser";

/** What a namespace declares where it stands: the `A` of `namespace A.B {}`. A module, and `global`, declare nothing. */
export function moduleName({ id, kind }: Node & { readonly type: "TSModuleDeclaration" }): readonly string[] {
  if (kind === "global") return [];
  let first: { readonly type: string } = id;
  while ("left" in first) first = first.left as { readonly type: string };
  return "name" in first && typeof first.name === "string" ? [first.name] : [];
}
