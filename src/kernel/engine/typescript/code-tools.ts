/** Parsers and code generators from oxc, loaded while the compiler starts. */
export { importsForExports } from "./analyze/cell-names.js";
export { codeCompleteness, codeDepthProblem, mayHoldMuch } from "./analyze/syntax.js";
export { emitCell, readCell, withFreeNames } from "./compile-cell.js";
export { compileModule } from "./modules/compile-module.js";
export { dependsOnFiles, isPackageFound, moduleSpecifiers, WatchedModules } from "./modules/imported-modules.js";
