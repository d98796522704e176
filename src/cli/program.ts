import { Command } from "commander";
import { packageVersion } from "./input/package-root.js";

type Add = (program: Command) => void;

/** In the order in which help lists them. Each is loaded when it is wanted: all of them take a third of a second. */
const commands: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import("./commands/serve-command.js")).addServeCommand,
  run: async () => (await import("./commands/run-command.js")).addRunCommand,
  convert: async () => (await import("./commands/convert-command.js")).addConvertCommand,
  report: async () => (await import("./commands/report-command.js")).addReportCommand,
  demo: async () => (await import("./commands/demo-command.js")).addDemoCommand,
  pull: async () => (await import("./commands/pull-command.js")).addPullCommand,
  snapshot: async () => (await import("./commands/snapshot-command.js")).addSnapshotCommand,
  ddl: async () => (await import("./commands/ddl-command.js")).addDdlCommand,
  lake: async () => (await import("./commands/lake-command.js")).addLakeCommand,
  verify: async () => (await import("./commands/verify-command.js")).addVerifyCommand,
  sql: async () => (await import("./commands/sql-command.js")).addSqlCommand,
  types: async () => (await import("./commands/types-command.js")).addTypesCommand,
  kernel: async () => (await import("./commands/kernel-command.js")).addKernelCommand,
  lab: async () => (await import("./commands/lab-command.js")).addLabCommand,
  lsp: async () => (await import("./commands/lsp-command.js")).addLspCommand,
  mcp: async () => (await import("./commands/mcp-command.js")).addMcpCommand,
  import: async () => (await import("./commands/import-command.js")).addImportCommand,
  export: async () => (await import("./commands/export-command.js")).addExportCommand,
  openapi: async () => (await import("./commands/openapi-command.js")).addOpenApiCommand,
};

/**
 * The program with the command that `words` ask for, or with all its commands where they ask for none that there is.
 *
 * @param words of the command line
 */
export async function siteframeProgram(words: readonly string[] = []): Promise<Command> {
  const program = new Command("siteframe")
    .description("Dataframes with readable columns, and any property's value at any date, from a site data service.")
    .version(packageVersion())
    .option("--debug", "show where an error comes from")
    .addHelpText("after", `\n${environmentHelp()}\n\n${exitCodeHelp()}`);
  const asked = words.find((word) => !word.startsWith("-"));
  const wanted = Object.entries(commands).filter(([name]) => name === asked);
  for (const [, load] of wanted.length > 0 ? wanted : Object.entries(commands)) (await load())(program);
  return program;
}

/** What a command's exit code means. */
export const exitCodes = {
  0: "all went well",
  1: "it failed: a wrong argument, an error, a cell that failed, outputs that differ, a damaged snapshot",
  2: "verify alone: the files are sound, but records refer to what the snapshot does not hold",
  3: "snapshot diff --exit-code alone: the two states differ",
} as const;

/** The part of `siteframe --help` about them. */
function exitCodeHelp(): string {
  const lines = Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return `Exit codes:\n${lines.join("\n")}\nlab ends with JupyterLab's own.`;
}

/** The environment variables that Siteframe reads, and what they mean. */
export const environment = {
  SITEFRAME_BASE_URL: "address of the service that connect() and pull read, where none is given",
  SITEFRAME_API_KEY: "key for that service, where none is given; the key that serve accepts, where it is given none",
  SITEFRAME_PROGRESS: "off: reads show no progress bar",
  SITEFRAME_ORIGIN:
    "off: outputs name no address or folder of the data, and show no code; so do those of run --no-code and report",
  SITEFRAME_BROWSER: "Chromium, Chrome or Edge that prints run --pdf, where it is not found",
  PATH: "folders of programs, where the browser for run --pdf is looked for on Linux",
  PROGRAMFILES: "folder of programs on Windows, where the browser for run --pdf is looked for",
  SITEFRAME_HISTORY: "folder for the kernel's history of executed cells; off: none is kept",
  SITEFRAME_PSEUDONYM_KEY:
    "secret that pseudonyms are made with; by default a file of this user's, made when it is needed",
  JUPYTER_DATA_DIR: "Jupyter's data folder, where kernel install --user writes",
  XDG_DATA_HOME:
    "folder on Linux of Jupyter's data, the history of cells and the secret of pseudonyms, unless a variable above names theirs",
  XDG_CACHE_HOME: "folder of caches on Linux, for files of snapshots elsewhere",
  APPDATA: "folder on Windows of Jupyter's data, unless JUPYTER_DATA_DIR names it",
  LOCALAPPDATA:
    "folder on Windows of the history of cells, the secret of pseudonyms, files of snapshots elsewhere, and browsers of one user",
  AWS_ACCESS_KEY_ID: "key for snapshots at s3:// addresses",
  AWS_SECRET_ACCESS_KEY: "secret of that key",
  AWS_SESSION_TOKEN: "token of that key, where it is one for a time",
  AWS_PROFILE: "profile for snapshots at s3:// addresses, read by @aws-sdk/credential-provider-node",
  AWS_SHARED_CREDENTIALS_FILE: "file of such profiles, where it is not ~/.aws/credentials",
  AWS_CONFIG_FILE: "file of the profiles' regions and addresses, where it is not ~/.aws/config",
  AWS_REGION: "region of the buckets of s3:// addresses",
  AWS_DEFAULT_REGION: "region of those buckets, where AWS_REGION is not set",
  AWS_ENDPOINT_URL_S3: "address of a store for s3:// addresses that is not Amazon's",
  AWS_ENDPOINT_URL: "address of such a store, where AWS_ENDPOINT_URL_S3 is not set",
  VIRTUAL_ENV: "the Python in use, for kernel install --sys-prefix",
  CONDA_PREFIX: "the Python in use, where VIRTUAL_ENV is not set",
  JPY_PARENT_PID: "set by Jupyter: the process with which the kernel ends",
} as const;

/** The part of `siteframe --help` about them. */
function environmentHelp(): string {
  const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(24)} ${meaning}`);
  return `Environment:\n${lines.join("\n")}`;
}
