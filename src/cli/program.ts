import { Command } from "commander";
import { addDdlCommand } from "./commands/ddl-command.js";
import { addDemoCommand } from "./commands/demo-command.js";
import { addExportCommand } from "./commands/export-command.js";
import { addImportCommand } from "./commands/import-command.js";
import { addKernelCommand } from "./commands/kernel-command.js";
import { addLabCommand } from "./commands/lab-command.js";
import { addMcpCommand } from "./commands/mcp-command.js";
import { addOpenApiCommand } from "./commands/openapi-command.js";
import { addPullCommand } from "./commands/pull-command.js";
import { addRunCommand } from "./commands/run-command.js";
import { addServeCommand } from "./commands/serve-command.js";
import { addSnapshotCommand } from "./commands/snapshot-command.js";
import { addSqlCommand } from "./commands/sql-command.js";
import { addTypesCommand } from "./commands/types-command.js";
import { addVerifyCommand } from "./commands/verify-command.js";
import { environmentHelp } from "./input/environment.js";
import { packageVersion } from "./input/package-root.js";
import { exitCodeHelp } from "./output/exit-codes.js";

/** The program with all its commands. */
export function siteframeProgram(): Command {
  const program = new Command("siteframe")
    .description("Dataframes with readable columns, and any property's value at any date, from a site data service.")
    .version(packageVersion())
    .option("--debug", "show where an error comes from")
    .addHelpText("after", `\n${environmentHelp()}\n\n${exitCodeHelp()}`);
  addServeCommand(program);
  addRunCommand(program);
  addDemoCommand(program);
  addPullCommand(program);
  addSnapshotCommand(program);
  addDdlCommand(program);
  addVerifyCommand(program);
  addSqlCommand(program);
  addTypesCommand(program);
  addKernelCommand(program);
  addLabCommand(program);
  addMcpCommand(program);
  addImportCommand(program);
  addExportCommand(program);
  addOpenApiCommand(program);
  return program;
}
