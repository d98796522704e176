#!/usr/bin/env node
import { reportError } from "./output/report-error.js";
import { siteframeProgram } from "./program.js";

const program = await siteframeProgram(process.argv.slice(2));

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (!isUnread(error)) throw error;
  });
}

try {
  await program.parseAsync();
} catch (error) {
  if (!isUnread(error)) {
    process.stderr.write(`${reportError(error, program.opts()["debug"] === true)}\n`);
    process.exitCode = 1;
  }
}

/** Whoever reads the output may have seen enough, as `head` has. */
function isUnread(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
