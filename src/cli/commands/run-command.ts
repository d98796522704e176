import { type Command, Option } from "commander";
import { engineNames } from "../../kernel/engine/cell/engine-name.js";
import { isScript } from "../../notebook/file/percent-script.js";
import { checkParameters, integerOption, parseParameters } from "../input/parameters.js";
import { type RunTargets, runTargets } from "../input/run-targets.js";
import { reportError } from "../output/report-error.js";
import { optimizeLater, papers, type RunOptions, runOne, wroteText } from "../output/run-and-save.js";
import { printMessage } from "../output/terminal.js";

/** Adds `siteframe run`, which executes notebooks without Python. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .summary("Execute notebooks from top to bottom, without Python.")
    .description("Execute notebooks from top to bottom, without Python. Exits with 1 if a cell fails.")
    .argument("<notebook...>", "notebooks to run (.ipynb), or scripts with cells between // %% (.ts)")
    .option("--out <file>", "write the executed notebook; a folder for several notebooks; {date} is today")
    .option("--html <file>", "write a self-contained page; a folder for several notebooks")
    .option("--pdf <file>", "print a PDF with the installed Chromium, Chrome or Edge; a folder for several notebooks")
    .addOption(new Option("--paper <size>", "paper size of --pdf. Default: the browser's").choices(papers))
    .option("--no-code", "hide code, parameters and data addresses on pages; write none if a cell fails")
    .option("--allow-failed", "replace the page of --html even if a cell fails")
    .option("--title <text>", "title of the page. Default: from the front matter, else the first heading")
    .option("-p, --parameter <name=value...>", "value of a notebook parameter; JSON, else a string")
    .option("--allow-unknown", "warn instead of failing if a notebook does not declare a parameter")
    .option("--timeout <seconds>", "maximum time for one cell", integerOption(1, 86_400))
    .option("--engine <name>", `engine that compiles cells: ${engineNames.join(", ")}`, engineNames[0])
    .option("--check", "fail if outputs differ from those stored in the notebook, or its cells ran in another order")
    .action((paths: readonly string[], _options: object, command: Command) => run(paths, command.optsWithGlobals()));
}

/** A failed notebook does not stop the others. */
async function run(paths: readonly string[], options: RunOptions): Promise<void> {
  optimizeLater();
  const targets = runTargets(paths, options);
  const names = Object.keys(parseParameters(options.parameter ?? []));
  for (const unknown of await checkParameters(paths, names, "Add --allow-unknown to run it anyway.")) {
    if (options.allowUnknown !== true) throw unknown;
    printMessage(unknown.message);
  }
  const [path] = paths;
  if (paths.length === 1 && path !== undefined) {
    const { difference, cost } = await runOne(path, { ...options, ...targets[0] });
    if (difference === undefined) printOutcome(path, targets[0], cost);
    else fail(difference);
    return;
  }
  const failed: string[] = [];
  for (const [index, each] of paths.entries()) {
    try {
      const { difference, cost } = await runOne(each, { ...options, ...targets[index] });
      if (difference === undefined) printOutcome(each, targets[index], cost);
      else {
        failed.push(each);
        printMessage(difference);
      }
    } catch (error) {
      failed.push(each);
      printMessage(reportError(error, options.debug === true));
    }
  }
  if (failed.length === 0) return;
  fail(`siteframe run: ${failed.length} of ${paths.length} notebooks failed: ${failed.join(", ")}.`);
}

/** One line for a notebook; none for a script without files, which prints as in Node. */
function printOutcome(path: string, { out, html, pdf }: RunTargets = {}, cost: string): void {
  const files = [out, html, pdf].filter((file) => file !== undefined);
  if (files.length > 0) printMessage(`${path}: ${wroteText(files, cost)}`);
  else if (!isScript(path)) printMessage(`${path}: ok (${cost})`);
}

function fail(message: string): void {
  printMessage(message);
  process.exitCode = 1;
}
