import type MagicString from "magic-string";
import type { ImportDeclaration, Node } from "oxc-parser";
import { importName, metaName, resumeName } from "../../cell/wrap-script.js";
import type { Reference, Site } from "../analyze/scope.js";
import { exportName, importedValues } from "../analyze/syntax.js";

/**
 * Rewrites names to reads from objects.
 *
 * @param target the replacement for a reference, such as `names.a`; `undefined` keeps it
 * @param start start of an expression that no semicolon may precede
 */
export function rewriteReferences(
  text: MagicString,
  references: readonly Reference[],
  target: (reference: Reference) => string | undefined,
  start?: number,
): void {
  for (const reference of references) {
    const written = target(reference);
    if (written === undefined) continue;
    const { name, form, end } = reference;
    if (form === "plain") text.update(reference.start, end, written);
    else if (form === "shorthand") text.update(reference.start, end, `${name}: ${written}`);
    else rewriteCall(text, reference, written, form === "statement" && reference.start !== start);
  }
}

/** The code between a name and its arguments, except types and comments. */
const bracket = /\s*(?:\?\.)?\s*\(/y;

/**
 * A function called as a property would get the object as `this`. The bracket of the arguments, to which stack frames
 * point, is rewritten with the name, so that they point to the name.
 */
function rewriteCall(text: MagicString, { start, end }: Reference, written: string, needsSemicolon: boolean): void {
  bracket.lastIndex = end;
  const [between = ""] = bracket.exec(text.original) ?? [];
  text.update(start, end + between.length, `${needsSemicolon ? ";" : ""}(0, ${written})${between}`);
}

/** Rewrites module syntax for a script: imports become calls, and each `await` checks whether to continue. */
export function rewriteSites(text: MagicString, sites: readonly Site[]): void {
  for (const { kind, start, end } of sites) {
    if (kind === "import") text.update(start, start + "import".length, importName);
    else if (kind === "importMeta") text.update(start, end, metaName);
    else if (kind === "await") text.appendRight(start, `${resumeName}(`).prependLeft(end, ")");
    else text.appendRight(start, `{ ${resumeName}(); `).prependLeft(end, " }");
  }
}

/** Moves an import that was rewritten to a load before all other statements, in the order of a module. */
export function hoist(text: MagicString, statements: readonly Node[], { start, end }: Node): void {
  const first = statements.find(({ type }) => type !== "ImportDeclaration")?.start;
  if (first !== undefined && first < start) text.move(start, end, first);
}

/** An awaited call that loads a module. */
export function loadCode(specifier: string): string {
  return `${resumeName}(await ${importName}(${JSON.stringify(specifier)}))`;
}

/** The statements for an import: `const { default: a, "b": c } = …` for `import a, { b as c } from "m"`. */
export function importCode(declaration: ImportDeclaration): string {
  const values = importedValues(declaration);
  if (values.length === 0 && (declaration.specifiers.length > 0 || declaration.importKind === "type")) return "";
  const load = loadCode(declaration.source.value);
  const namespace = values.find(({ type }) => type === "ImportNamespaceSpecifier")?.local.name;
  const names = values.flatMap((each) => {
    if (each.type === "ImportNamespaceSpecifier") return [];
    const key = each.type === "ImportDefaultSpecifier" ? "default" : JSON.stringify(exportName(each.imported));
    return [`${key}: ${each.local.name}`];
  });
  const pattern = names.length === 0 ? "" : `const { ${names.join(", ")} } = ${namespace ?? load};`;
  if (namespace !== undefined) return `const ${namespace} = ${load}; ${pattern}`;
  return pattern === "" ? `${load};` : pattern;
}
