/**
 * Flags for Node processes in which cells run. Importing relative to the notebook's folder, and importing JSON, print a
 * warning on some versions of Node, which would stand in the user's output. An execution that was terminated leaves
 * Node's stack of asynchronous contexts unbalanced, which Node would take for its own fault and end the process.
 */
export const engineFlags: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--no-force-async-hooks-checks",
];
