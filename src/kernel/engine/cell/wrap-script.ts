/** The function that a script calls in place of `import`. */
export const importName = "__siteframe_import";
/** The object that a script has in place of `import.meta`. */
export const metaName = "__siteframe_meta";
/** The function that a script calls whenever it goes on after waiting. It throws if the cell was stopped. */
export const resumeName = "__siteframe_resume";
/** What a script calls its `exports`, which no cell can shadow. */
export const namesName = "__siteframe_names";
/** The function that gives a script's name to other scripts. */
export const shareName = "__siteframe_share";
/** The function that gives an object with the value of a name, for loops. */
export const holdName = "__siteframe_hold";
/** What oxc calls the object that has its helpers. */
const helpersName = "babelHelpers";

/** What every script has around it, without having declared it. */
export const scriptParameters: readonly string[] = [
  ...["exports", "require", "module", "__filename", "__dirname"],
  ...[importName, metaName, resumeName, namesName, helpersName, shareName, holdName],
];

/** Whether a cell that declares the name would take from its script what the script needs. */
export function isOfScripts(name: string): boolean {
  return name === helpersName || name.startsWith("__siteframe_");
}

/** An expression: an async function with the parameters of `Scope`, whose first line is before the script. */
export function wrapScript(script: string): string {
  // The inner block lets a script declare names such as `require` that are parameters outside.
  return `(async (${scriptParameters.join(", ")}) => {"use strict"; {\n${script}\n}})`;
}
