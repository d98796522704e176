import type { Command } from "commander";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import { connect } from "../../source/connect.js";
import { packageVersion } from "../input/package-root.js";
import { generationOption, integerOption } from "../input/parameters.js";
import { serveMcp } from "../mcp/serve-mcp.js";
import { answerLimits } from "../mcp/tool-arguments.js";

interface McpCommandOptions {
  readonly snapshot?: string;
  readonly generation?: number;
  readonly baseUrl?: string;
  readonly redact?: boolean;
  readonly rows: number;
  readonly timeout: number;
}

/** `siteframe mcp`: answers questions by the Model Context Protocol. */
export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .description(
      "Answer questions about a snapshot, or the live service, by the Model Context Protocol over standard input and output. It only reads. It needs the package @modelcontextprotocol/server.",
    )
    .option("--snapshot <folder>", "snapshot folder, or its address; the live service if absent")
    .option("--generation <n>", "state of the snapshot; the present one if absent", generationOption)
    .option("--base-url <url>", "address of the service (default: SITEFRAME_BASE_URL; the key is SITEFRAME_API_KEY)")
    .option("--redact", "give pseudonyms instead of person data, and no SQL")
    .option("--rows <n>", "most rows of an answer", integerOption(1, 10_000), answerLimits.mostRows)
    .option(
      "--timeout <seconds>",
      "longest time of a query of SQL",
      integerOption(1, 3600),
      answerLimits.timeoutMs / 1000,
    )
    .action(run);
}

async function run(options: McpCommandOptions): Promise<void> {
  const { snapshot, generation, baseUrl, redact = false, rows, timeout } = options;
  const source =
    snapshot === undefined
      ? connect({ ...(baseUrl !== undefined && { baseUrl }) })
      : await openSnapshot(snapshot, generation === undefined ? {} : { generation });
  try {
    await serveMcp({ source, version: packageVersion(), redact, maxRows: rows, timeoutMs: timeout * 1000 });
  } finally {
    await source.close();
  }
}
