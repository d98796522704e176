import { ArgumentError } from "../../core/errors.js";
import { isMissingPackage } from "../../core/is-missing-package.js";

/** What of the SDK is used. */
export interface McpSdk {
  readonly Server: typeof import("@modelcontextprotocol/sdk/server/index.js").Server;
  readonly StdioServerTransport: typeof import("@modelcontextprotocol/sdk/server/stdio.js").StdioServerTransport;
  readonly CallToolRequestSchema: typeof import("@modelcontextprotocol/sdk/types.js").CallToolRequestSchema;
  readonly ListToolsRequestSchema: typeof import("@modelcontextprotocol/sdk/types.js").ListToolsRequestSchema;
}

/** The package that nobody gets who did not ask for it. */
const SDK = "@modelcontextprotocol/sdk";

/**
 * Loads the SDK of the Model Context Protocol, an optional package that `siteframe mcp` alone needs.
 *
 * @throws ArgumentError if it is not installed, saying what to install
 */
export async function loadSdk(load: () => Promise<McpSdk> = importSdk): Promise<McpSdk> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, SDK)) throw cause;
    throw new ArgumentError(`siteframe mcp needs the package ${SDK}, which is not installed.`, {
      cause,
      hint: `Run \`npm install ${SDK}@1\` beside siteframe, with --global where siteframe is installed so.`,
    });
  }
}

async function importSdk(): Promise<McpSdk> {
  const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return { Server, StdioServerTransport, CallToolRequestSchema, ListToolsRequestSchema };
}
