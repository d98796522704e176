/**
 * Flags for Node processes in which cells run. Importing relative to the notebook's folder, and importing JSON, print a
 * warning on some versions of Node, which would stand in the user's output.
 */
export const engineFlags: readonly string[] = ["--disable-warning=ExperimentalWarning"];
