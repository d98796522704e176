import { globalsDeclaration } from "./cell-globals.js";
import { preloadedNames } from "./preloaded-names.js";

const preloads = Object.entries(preloadedNames).map(
  ([name, { module, export: exported }]) =>
    `  const ${name}: typeof import("${module}")${exported === undefined ? "" : `.${exported}`};`,
);

/** What cells see of the names that they have without importing them. The compiler reads it as a module of its own. */
export const preloadedDeclaration = `declare global {\n${[...preloads, globalsDeclaration].join("\n")}\n}`;
