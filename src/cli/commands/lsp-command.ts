import type { Command } from "commander";
import { nativeCompiler } from "../../kernel/engine/typescript/check/native-compiler.js";
import { packageVersion } from "../input/package-root.js";

/** `siteframe lsp`: tells editors of the errors in notebooks while they are written. */
export function addLspCommand(program: Command): void {
  program
    .command("lsp")
    .description(
      "Tell an editor of type errors, names and completions in notebooks while they are written, by the Language Server Protocol over standard input and output. It runs none of their code.",
    )
    .option("--stdio", "speak over standard input and output, as it always does; editors say it")
    .action(run);
}

async function run(): Promise<void> {
  // What is optional is missed here, in words, and not by what loads it.
  nativeCompiler();
  const { serveLsp } = await import("../lsp/serve-lsp.js");
  process.exitCode = await serveLsp(process.stdin, process.stdout, packageVersion());
  // A client that has gone may have left its end open.
  process.stdin.destroy();
}
