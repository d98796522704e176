import { Command } from "commander";
import { addDemoCommand } from "./demo-command.js";
import { environmentHelp } from "./environment.js";
import { exitCodeHelp } from "./exit-codes.js";
import { addExportCommand } from "./export-command.js";
import { addImportCommand } from "./import-command.js";
import { addKernelCommand } from "./kernel-command.js";
import { addLabCommand } from "./lab-command.js";
import { addOpenApiCommand } from "./openapi-command.js";
import { packageVersion } from "./package-root.js";
import { addPullCommand } from "./pull-command.js";
import { addRunCommand } from "./run-command.js";
import { addServeCommand } from "./serve-command.js";
import { addSnapshotCommand } from "./snapshot-command.js";
import { addSqlCommand } from "./sql-command.js";
import { addVerifyCommand } from "./verify-command.js";

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
  addVerifyCommand(program);
  addSqlCommand(program);
  addKernelCommand(program);
  addLabCommand(program);
  addImportCommand(program);
  addExportCommand(program);
  addOpenApiCommand(program);
  return program;
}
