import { globalsDeclaration } from "./globals-declaration.js";
import { preloadedNames } from "./preloaded-names.js";

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

const mention = new RegExp(`\\b(${Object.keys(preloadedNames).join("|")})\\b`);

/** Whether code may use one of these names, and the types of packages with it. */
export function mentionsPreload(code: string): boolean {
  return mention.test(code);
}
