#!/usr/bin/env node
import { writeSync } from "node:fs";
import { FileError } from "../core/errors.js";
import { diskReason } from "../core/make-folder.js";
import { printable } from "../core/printable.js";
import { commandFlags, reportError } from "./output/report-error.js";
import { inColour, wrapped } from "./output/terminal.js";
import { siteframeProgram } from "./program.js";

const words = process.argv.slice(2);
const program = await siteframeProgram(words);

for (const [stream, name] of [
  [process.stdout, "standard output"],
  [process.stderr, "standard error"],
] as const) {
  stream.on("error", (error) => {
    if (isUnread(error)) return;
    const reason = diskReason(error);
    fail(reason ? new FileError(`${name} cannot be written: ${reason.words}.`, { cause: error }) : error);
    // Unprinted output of the command is lost.
    process.exit(1);
  });
}

try {
  await program.parseAsync();
} catch (error) {
  if (!isUnread(error)) fail(error);
}

function fail(error: unknown): void {
  process.exitCode = 1;
  const isDebug = program.opts()["debug"] === true;
  const plain = printable(reportError(error, isDebug, commandFlags(program, words)));
  const text = inColour(isDebug ? plain : wrapped(plain, process.stderr), "bad", process.stderr);
  // Written synchronously, since the process may end; errors are ignored if standard error is closed.
  try {
    writeSync(process.stderr.fd, `${text}\n`);
  } catch {}
}

/** Whether the reader has closed the pipe, as `head` does. */
function isUnread(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
