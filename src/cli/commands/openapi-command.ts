import type { Command } from "commander";
import { openApi } from "../../api/openapi.js";
import { packageVersion } from "../../core/package-folder.js";
import { printResult } from "../output/terminal.js";

/** Adds `siteframe openapi`, which prints the contract of the service. */
export function addOpenApiCommand(program: Command): void {
  program
    .command("openapi")
    .description("Print the service contract as an OpenAPI 3.1 document (JSON).")
    .action(() => {
      printResult(JSON.stringify(openApi(packageVersion()), null, 2));
    });
}
