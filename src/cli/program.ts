import { Command } from "commander";
import { packageVersion } from "../core/package-folder.js";
import { twoColumns, wrapped } from "./output/terminal.js";

type Add = (program: Command) => void;

/** The commands by the headings of `--help`, in its order. Only the given command is loaded: all take a third of a second. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Add>>>>> = {
  "Snapshots:": {
    pull: async () => (await import("./commands/pull-command.js")).addPullCommand,
    import: async () => (await import("./commands/import-export-command.js")).addImportCommand,
    export: async () => (await import("./commands/import-export-command.js")).addExportCommand,
    snapshot: async () => (await import("./commands/snapshot-command.js")).addSnapshotCommand,
    verify: async () => (await import("./commands/snapshot-command.js")).addVerifyCommand,
  },
  "Queries:": {
    sql: async () => (await import("./commands/sql-command.js")).addSqlCommand,
    types: async () => (await import("./commands/types-command.js")).addTypesCommand,
    ddl: async () => (await import("./commands/catalog-command.js")).addDdlCommand,
    ducklake: async () => (await import("./commands/catalog-command.js")).addDuckLakeCommand,
  },
  "Notebooks and reports:": {
    run: async () => (await import("./commands/run-command.js")).addRunCommand,
    report: async () => (await import("./commands/report-command.js")).addReportCommand,
    convert: async () => (await import("./commands/convert-command.js")).addConvertCommand,
    kernel: async () => (await import("./commands/jupyter-command.js")).addKernelCommand,
    lab: async () => (await import("./commands/jupyter-command.js")).addLabCommand,
    lsp: async () => (await import("./commands/lsp-command.js")).addLspCommand,
  },
  "Services:": {
    serve: async () => (await import("./commands/serve-command.js")).addServeCommand,
    mcp: async () => (await import("./commands/mcp-command.js")).addMcpCommand,
    demo: async () => (await import("./commands/demo-command.js")).addDemoCommand,
    openapi: async () => (await import("./commands/openapi-command.js")).addOpenApiCommand,
  },
};

/** Examples of each command. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  pull: ["siteframe pull acme.snapshot", 'siteframe pull acme.snapshot --site "Llano Verde" --redact'],
  import: [
    "siteframe import records acme.snapshot",
    "siteframe import --changes log.csv --id Issue --key Field --value To --time Changed jira.snapshot",
  ],
  export: ["siteframe export acme.snapshot records"],
  "snapshot list": ["siteframe snapshot list acme.snapshot"],
  "snapshot diff": ["siteframe snapshot diff acme.snapshot", "siteframe snapshot diff acme.snapshot 3 5 --json"],
  "snapshot verify": ["siteframe snapshot verify acme.snapshot"],
  "snapshot prune": ["siteframe snapshot prune acme.snapshot --limit 5"],
  verify: ["siteframe verify acme.snapshot", "siteframe verify acme.snapshot --generation 3"],
  sql: [
    'siteframe sql acme.snapshot "SELECT name, status FROM datasets LIMIT 5"',
    "siteframe sql acme.snapshot \"FROM TRENCHES_AT('2025-06-30')\" --format csv --out trenches.csv",
    "siteframe sql acme.snapshot counts --semantic-type TRENCHES --column STATUS --date 2025-03-31 2025-06-30",
  ],
  types: ["siteframe types --snapshot acme.snapshot --out site.d.ts"],
  ddl: [
    "siteframe ddl trino acme.snapshot --location s3://bucket/acme.snapshot",
    "siteframe ddl spark acme.snapshot > acme.sql",
  ],
  ducklake: ["siteframe ducklake acme.snapshot --time-zone Europe/Madrid"],
  run: [
    "siteframe run report.ipynb --html report.html",
    "siteframe run report.ipynb --out done.ipynb -p site_id=12 --no-code",
  ],
  report: [
    'siteframe report progress --site "Llano Verde" --pdf',
    "siteframe report punch-list --site 12 --snapshot acme.snapshot --xlsx tickets.xlsx",
  ],
  convert: ["siteframe convert report.ipynb report.ts", "siteframe convert report.ts report.ipynb"],
  "kernel install": ["siteframe kernel install", "siteframe kernel install --sys-prefix"],
  "kernel uninstall": ["siteframe kernel uninstall"],
  lab: ["siteframe lab notebooks"],
  lsp: ["siteframe lsp"],
  serve: ["siteframe serve", "siteframe serve acme.snapshot --port 9000 --api-key secret=12,15"],
  mcp: ["siteframe mcp --snapshot acme.snapshot --redact"],
  demo: ["siteframe demo --out demo"],
  openapi: ["siteframe openapi > openapi.json"],
};

/**
 * Returns the program with the given command, or with all commands if the words contain no known command.
 *
 * @param words of the command line
 */
export async function siteframeProgram(words: readonly string[] = []): Promise<Command> {
  const program = new Command("siteframe")
    .description("Dataframes with readable columns, and any property's value at any date, from a site data service.")
    .version(packageVersion())
    .option("--debug", "show where an error comes from")
    .addHelpText("after", () => `\n${environmentHelp()}\n\n${exitCodeHelp()}`)
    .configureHelp({ styleTitle: (title) => inBold(title) });
  const given = words.find((word) => !word.startsWith("-"));
  const all = Object.entries(groups).flatMap(([heading, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ heading, name, load })),
  );
  const matching = all.filter(({ name }) => name === given);
  for (const { heading, load } of matching.length > 0 ? matching : all) {
    program.commandsGroup(heading);
    (await load())(program);
  }
  for (const command of program.commands) addExamples(command, command.name());
  return program;
}

/** Adds *Examples* to the help of a command, or of its subcommands. */
function addExamples(command: Command, title: string): void {
  const lines = examples[title];
  if (lines) command.addHelpText("after", `\n${inBold("Examples:")}\n${lines.map((line) => `  ${line}`).join("\n")}`);
  for (const part of command.commands) addExamples(part, `${title} ${part.name()}`);
}

/** Exit codes and their meanings. */
export const exitCodes = {
  0: "success",
  1: "failure: invalid argument, error, failed cell, different outputs, damaged snapshot",
  2: "verify only: the files are sound, but records refer to missing records",
  3: "snapshot diff --exit-code only: the two generations differ",
} as const;

/** The exit codes in `siteframe --help`. */
function exitCodeHelp(): string {
  const lines = twoColumns(Object.entries(exitCodes), helpWidth());
  return `${inBold("Exit codes:")}\n${lines}\n${wrapped("siteframe lab exits with JupyterLab's own code.", process.stdout)}`;
}

/** Environment variables that Siteframe reads, and their meanings. */
export const environment = {
  SITEFRAME_BASE_URL: "default address of the service for connect() and pull",
  SITEFRAME_API_KEY: "default API key for that service; default key that serve accepts",
  SITEFRAME_PROGRESS: "off: hide progress bars",
  NO_COLOR: "any value: write without colors",
  SITEFRAME_ORIGIN: "off: hide data addresses, folders and code in outputs, as run --no-code and report do",
  SITEFRAME_BROWSER: "path of Chromium, Chrome or Edge for PDFs, if it is not found",
  SITEFRAME_PSEUDONYM_KEY: "secret for pseudonyms. Default: a file of this user, created when needed",
  SITEFRAME_HISTORY: "folder for the kernel's history of executed cells; off: keep none",
  SITEFRAME_LOCALE: "language of outputs with SITEFRAME_ORIGIN=off, set by report --locale",
  PATH: "folders with programs, to find the browser for PDFs on Linux",
  PROGRAMFILES: "folder of programs on Windows, to find the browser for PDFs",
  JUPYTER_DATA_DIR: "Jupyter's data folder, where kernel install --user writes",
  XDG_DATA_HOME: "data folder on Linux for Jupyter, the cell history and the pseudonym secret",
  XDG_CACHE_HOME: "cache folder on Linux, for files of remote snapshots",
  APPDATA: "folder on Windows of Jupyter's data, unless JUPYTER_DATA_DIR is set",
  LOCALAPPDATA:
    "folder on Windows of the cell history, the pseudonym secret, files of remote snapshots and browsers of one user",
  AWS_ACCESS_KEY_ID: "key for snapshots at s3:// addresses",
  AWS_SECRET_ACCESS_KEY: "secret of that key",
  AWS_SESSION_TOKEN: "session token for temporary credentials",
  AWS_PROFILE: "profile for snapshots at s3:// addresses, read by @aws-sdk/credential-provider-node",
  AWS_SHARED_CREDENTIALS_FILE: "credentials file of the profiles. Default: ~/.aws/credentials",
  AWS_CONFIG_FILE: "configuration file of the profiles. Default: ~/.aws/config",
  AWS_REGION: "region of s3:// buckets",
  AWS_DEFAULT_REGION: "region of s3:// buckets if AWS_REGION is not set",
  AWS_ENDPOINT_URL_S3: "address of an S3-compatible store for s3:// addresses",
  AWS_ENDPOINT_URL: "address of an S3-compatible store if AWS_ENDPOINT_URL_S3 is not set",
  VIRTUAL_ENV: "folder of the current Python, for kernel install --sys-prefix",
  CONDA_PREFIX: "folder of the current Python if VIRTUAL_ENV is not set",
  JPY_PARENT_PID: "set by Jupyter: process whose end stops the kernel",
} as const;

/** Columns of help texts: those of the terminal, or 80 as in Commander. */
function helpWidth(): number {
  return process.stdout.columns || 80;
}

/** Commander removes the codes unless the output is a terminal with colors. */
function inBold(text: string): string {
  return `\u001b[1m${text}\u001b[22m`;
}

/** Variables that `--help` lists, the first ones of `environment`. */
const SHOWN_VARIABLES = 6;

/** The most important variables in `siteframe --help`. */
function environmentHelp(): string {
  const variables = Object.entries(environment).slice(0, SHOWN_VARIABLES);
  const lines = twoColumns(variables, helpWidth());
  return `${inBold("Environment:")}\n${lines}\nAll variables: https://github.com/siteframe/siteframe/blob/main/docs/cli.md.`;
}
