import type { ImportDeclaration } from "oxc-parser";
import { importName, resumeName } from "../../cell/wrap-script.js";
import { importedValues } from "../analyze/imported-values.js";

/** An awaited call that loads a module. */
export function loadCode(specifier: string): string {
  return `${resumeName}(await ${importName}(${JSON.stringify(specifier)}))`;
}

/** The statements that stand for an import: `const { default: a, "b": c } = …` for `import a, { b as c } from "m"`. */
export function importCode(declaration: ImportDeclaration): string {
  const values = importedValues(declaration);
  if (values.length === 0 && (declaration.specifiers.length > 0 || declaration.importKind === "type")) return "";
  const load = loadCode(declaration.source.value);
  const namespace = values.find(({ type }) => type === "ImportNamespaceSpecifier")?.local.name;
  const names = values.flatMap((each) => {
    if (each.type === "ImportNamespaceSpecifier") return [];
    return [`${each.type === "ImportDefaultSpecifier" ? "default" : nameText(each.imported)}: ${each.local.name}`];
  });
  const pattern = names.length === 0 ? "" : `const { ${names.join(", ")} } = ${namespace ?? load};`;
  if (namespace !== undefined) return `const ${namespace} = ${load}; ${pattern}`;
  return pattern === "" ? `${load};` : pattern;
}

/** A name as a key; a module may export any string. */
export function nameText(name: { readonly type: string; readonly name?: string; readonly value?: string }): string {
  return JSON.stringify(name.name ?? name.value);
}
