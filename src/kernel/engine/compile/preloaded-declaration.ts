import { preloadedNames } from "../cell/preloaded-names.js";
import { globalsDeclaration } from "../run/cell-globals.js";

/**
 * What cells see of the names that they have without importing them. The compiler reads it as a module of its own.
 *
 * @param typed false: the names alone, without the types of the packages they come from, which take a while to read
 */
export function preloadedDeclaration(typed: boolean): string {
  const preloads = Object.entries(preloadedNames).map(([name, { module, export: exported }]) => {
    const type = `typeof import("${module}")${exported === undefined ? "" : `.${exported}`}`;
    return `  const ${name}: ${typed ? type : "any"};`;
  });
  return `declare global {\n${[...preloads, globalsDeclaration].join("\n")}\n}`;
}
