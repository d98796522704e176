/** What a command's exit code means. */
export const exitCodes = {
  0: "all went well",
  1: "it failed: a wrong argument, an error, a cell that failed, outputs that differ, a damaged snapshot",
  2: "verify alone: the files are sound, but records refer to what the snapshot does not hold",
  3: "snapshot diff --exit-code alone: the two states differ",
} as const;

/** The part of `siteframe --help` about them. */
export function exitCodeHelp(): string {
  const lines = Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return `Exit codes:\n${lines.join("\n")}\nlab ends with JupyterLab's own.`;
}
