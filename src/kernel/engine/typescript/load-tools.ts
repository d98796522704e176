/** What reads and writes code, in programs of oxc's, which are loaded while the compiler starts. */
export async function loadTools() {
  const { emitCell, impliedNames, readCell } = await import("./compile-cell.js");
  const { importsForExports } = await import("./analyze/imports-for-exports.js");
  const { codeCompleteness } = await import("./analyze/code-completeness.js");
  const { ambientModules } = await import("./check/ambient-modules.js");
  const { compileModule } = await import("./modules/compile-module.js");
  const { isPackageFound } = await import("./modules/is-package-found.js");
  const { dependsOnFiles } = await import("./modules/depends-on-files.js");
  const { moduleSpecifiers } = await import("./modules/module-specifiers.js");
  const { WatchedModules } = await import("./modules/watched-modules.js");
  return {
    ...{ emitCell, impliedNames, readCell, importsForExports, codeCompleteness, ambientModules },
    ...{ compileModule, dependsOnFiles, isPackageFound, moduleSpecifiers, WatchedModules },
  };
}

export type Tools = Awaited<ReturnType<typeof loadTools>>;
