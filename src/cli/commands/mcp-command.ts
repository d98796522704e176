import type { Command } from "commander";
import { packageVersion } from "../../core/package-folder.js";
import { generationOption, integerOption } from "../input/parameters.js";
import { baseUrlOption, openSource } from "../input/source-option.js";
import { serveMcp } from "../mcp/serve-mcp.js";
import { answerLimits } from "../mcp/tool-arguments.js";

interface McpCommandOptions {
  readonly snapshot?: string;
  readonly generation?: number;
  readonly baseUrl?: string;
  readonly redact?: boolean;
  readonly limit: number;
  readonly timeout: number;
}

/** Adds `siteframe mcp`, which answers questions over the Model Context Protocol. */
export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .summary("Start a read-only MCP server over stdio.")
    .description(
      "Start a read-only MCP server (Model Context Protocol) over stdio, for a snapshot or the live service. Requires the package @modelcontextprotocol/server.",
    )
    .option("--snapshot <folder>", "snapshot folder or address. Default: the live service")
    .option("--generation <n>", "generation of the snapshot. Default: the current one", generationOption)
    .addOption(baseUrlOption())
    .option("--redact", "return pseudonyms instead of person data; disables SQL")
    .option("--limit <n>", "maximum rows of an answer", integerOption(1, 10_000), answerLimits.mostRows)
    .option(
      "--timeout <seconds>",
      "maximum time of an SQL query",
      integerOption(1, 3600),
      answerLimits.timeoutMs / 1000,
    )
    .action(run);
}

async function run(options: McpCommandOptions): Promise<void> {
  const { snapshot, generation, baseUrl, redact = false, limit, timeout } = options;
  const source = await openSource({ snapshot, generation, baseUrl });
  try {
    await serveMcp({ source, version: packageVersion(), redact, maxRows: limit, timeoutMs: timeout * 1000 });
  } finally {
    await source.close();
  }
}
