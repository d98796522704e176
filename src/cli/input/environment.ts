/** The environment variables that Siteframe reads, and what they mean. */
export const environment = {
  SITEFRAME_BASE_URL: "address of the service that connect() and pull read, where none is given",
  SITEFRAME_API_KEY: "key for it, where none is given; the key that serve accepts, where it is given none",
  SITEFRAME_PROGRESS: "off: reads show no progress bar",
  SITEFRAME_HISTORY: "folder for the kernel's history of executed cells; off: none is kept",
  SITEFRAME_PSEUDONYM_KEY:
    "secret that pseudonyms are made with; by default a file of this user's, made when it is needed",
  JUPYTER_DATA_DIR: "Jupyter's data folder, where kernel install --user writes",
  XDG_DATA_HOME: "folder of users' data on Linux, where the two above are not set",
  APPDATA: "the same on Windows, for the kernel",
  LOCALAPPDATA: "the same on Windows, for the history of cells",
  VIRTUAL_ENV: "the Python in use, for kernel install --sys-prefix",
  CONDA_PREFIX: "the same, of conda",
  JPY_PARENT_PID: "set by Jupyter: the process with which the kernel ends",
} as const;

/** The part of `siteframe --help` about them. */
export function environmentHelp(): string {
  const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(24)} ${meaning}`);
  return `Environment:\n${lines.join("\n")}`;
}
