import type { Command } from "commander";
import { packageVersion } from "../../core/package-folder.js";
import { nativeCompiler } from "../../kernel/engine/typescript/check/native-compiler.js";

/** Adds `siteframe lsp`, which reports errors in notebooks to editors while users type. */
export function addLspCommand(program: Command): void {
  program
    .command("lsp")
    .summary("Start the language server (LSP) for notebooks over stdio.")
    .description(
      "Start the language server (LSP) for notebooks over stdio, with errors, hovers and completions. It does not run cells.",
    )
    .option("--stdio", "accepted for compatibility; stdio is the only transport")
    .action(run);
}

async function run(): Promise<void> {
  // Reports a missing optional package here, with a readable message.
  nativeCompiler();
  const { serveLsp } = await import("../lsp/serve-lsp.js");
  process.exitCode = await serveLsp(process.stdin, process.stdout, packageVersion());
  // The input can still be open after the client has gone.
  process.stdin.destroy();
}
