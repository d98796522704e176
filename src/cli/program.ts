import { Command } from "commander";
import { environmentHelp } from "./input/environment.js";
import { packageVersion } from "./input/package-root.js";
import { exitCodeHelp } from "./output/exit-codes.js";

type Add = (program: Command) => void;

/** In the order in which help lists them. Each is loaded when it is wanted: all of them take a third of a second. */
const commands: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import("./commands/serve-command.js")).addServeCommand,
  run: async () => (await import("./commands/run-command.js")).addRunCommand,
  demo: async () => (await import("./commands/demo-command.js")).addDemoCommand,
  pull: async () => (await import("./commands/pull-command.js")).addPullCommand,
  snapshot: async () => (await import("./commands/snapshot-command.js")).addSnapshotCommand,
  ddl: async () => (await import("./commands/ddl-command.js")).addDdlCommand,
  verify: async () => (await import("./commands/verify-command.js")).addVerifyCommand,
  sql: async () => (await import("./commands/sql-command.js")).addSqlCommand,
  types: async () => (await import("./commands/types-command.js")).addTypesCommand,
  kernel: async () => (await import("./commands/kernel-command.js")).addKernelCommand,
  lab: async () => (await import("./commands/lab-command.js")).addLabCommand,
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
