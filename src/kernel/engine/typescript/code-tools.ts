/** What reads and writes code, in programs of oxc's, which are loaded while the compiler starts. */
export { importsForExports } from "./analyze/cell-names.js";
export { codeCompleteness, codeDepthProblem, mayHoldMuch } from "./analyze/syntax.js";
export { emitCell, readCell, withFreeNames } from "./compile-cell.js";
export { compileModule } from "./modules/compile-module.js";
export { dependsOnFiles, isPackageFound, moduleSpecifiers } from "./modules/module-specifiers.js";
export { WatchedModules } from "./modules/watched-modules.js";
