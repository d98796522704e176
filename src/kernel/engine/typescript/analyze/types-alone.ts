import type { ImportDeclaration, Program } from "oxc-parser";
import type { Reference } from "./code-sites.js";

/**
 * The imports of packages that have types and no code, as many of `@types` do: those that cannot be found when the code
 * runs, and of which no value is used. Such an import is one of types, though it does not say so.
 *
 * @param isFound whether a package, by its specifier, is there when the code runs
 */
export function importsOfTypesAlone(
  { body }: Program,
  references: readonly Reference[],
  isFound: (specifier: string) => boolean,
): ReadonlySet<ImportDeclaration> {
  const used = new Set(references.map(({ name }) => name));
  const isAlone = (statement: ImportDeclaration) =>
    statement.specifiers.length > 0 &&
    statement.importKind !== "type" &&
    !statement.specifiers.some(({ local }) => used.has(local.name)) &&
    /^[^./]/.test(statement.source.value) &&
    !isFound(statement.source.value);
  return new Set(body.filter((statement) => statement.type === "ImportDeclaration").filter(isAlone));
}
