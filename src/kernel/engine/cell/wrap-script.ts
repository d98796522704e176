/** The function that scripts call instead of `import`. */
export const importName = "__siteframe_import";
/** The object that scripts use instead of `import.meta`. */
export const metaName = "__siteframe_meta";
/** The function that a script calls each time it resumes after waiting. It throws if the cell was stopped. */
export const resumeName = "__siteframe_resume";
/** The name of `exports` in scripts, which no cell can shadow. */
export const namesName = "__siteframe_names";
/** The function that shares a script's name with other scripts. */
export const shareName = "__siteframe_share";
/** The function that returns an object with the value of a name, for loops. */
export const holdName = "__siteframe_hold";
/** oxc's name of the object with its helpers. */
const helpersName = "babelHelpers";

/** Names available in every script without a declaration. */
export const scriptParameters: readonly string[] = [
  ...["exports", "require", "module", "__filename", "__dirname"],
  ...[importName, metaName, resumeName, namesName, helpersName, shareName, holdName],
];

/** Whether a cell that declares the name would hide something that its script needs. */
export function isOfScripts(name: string): boolean {
  return name === helpersName || name.startsWith("__siteframe_");
}

/** An expression: an async function with the parameters of `Scope`. Its first line precedes the script. */
export function wrapScript(script: string): string {
  // The inner block lets a script declare names such as `require`, which are parameters of the function.
  return `(async (${scriptParameters.join(", ")}) => {"use strict"; {\n${script}\n}})`;
}
