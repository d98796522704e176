#!/usr/bin/env node
import { siteframeProgram } from "./program.js";
import { reportError } from "./report-error.js";

const program = siteframeProgram();

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${reportError(error, program.opts()["debug"] === true)}\n`);
  process.exitCode = 1;
}
