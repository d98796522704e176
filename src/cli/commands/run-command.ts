import { type Command, Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { engineNames } from "../../kernel/engine/cell/engine-name.js";
import { checkParameters, integerOption, parseParameters } from "../input/parameters.js";
import { runTargets } from "../input/run-targets.js";
import { reportError } from "../output/report-error.js";
import { optimiseLater, papers, type RunOptions, runOne } from "../output/run-and-save.js";
import { printMessage } from "../output/terminal.js";

/** `siteframe run`: executes notebooks without Python. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("Execute notebooks from top to bottom, without Python. Exits with 1 if a cell fails.")
    .argument("<notebook...>", "notebooks to run (.ipynb), or scripts with cells between // %% (.ts)")
    .option("--out <file>", "write the executed notebook here; a folder with several notebooks; {date} is today")
    .option("--html <file>", "write a page here that stands alone; a folder with several notebooks")
    .option("--pdf <file>", "print the page here by your Chromium, Chrome or Edge; a folder with several notebooks")
    .addOption(new Option("--paper <size>", "paper of --pdf; by default what the browser takes").choices(papers))
    .option("--no-code", "pages for others: no code, no parameters, no addresses of data; none if a cell fails")
    .option("--allow-failed", "if a cell fails, let the page with the error replace the page of --html")
    .option("--title <text>", "title of the page; by default that of the front matter, or the first heading")
    .option("-p, --parameter <name=value...>", "value for the notebook's parameters; JSON, else text")
    .option("--allow-unknown", "run notebooks that have no such parameter, too, and only tell of it")
    .option("--timeout <seconds>", "longest time for one cell", integerOption(1, 86_400))
    .option("--engine <name>", `what understands the cells: ${engineNames.join(", ")}`, engineNames[0])
    .option("--check", "fail if the outputs are not those stored in the notebook")
    .action((paths: readonly string[], _options: object, command: Command) => run(paths, command.optsWithGlobals()));
}

/** One notebook that fails does not keep the others from running. */
async function run(paths: readonly string[], options: RunOptions): Promise<void> {
  optimiseLater();
  const targets = runTargets(paths, options);
  const names = Object.keys(parseParameters(options.parameter ?? []));
  for (const unknown of await checkParameters(paths, names, "Pass --allow-unknown to run it all the same.")) {
    if (options.allowUnknown !== true) throw unknown;
    printMessage(unknown.message);
  }
  const [path] = paths;
  if (paths.length === 1 && path !== undefined) {
    await runOne(path, { ...options, ...targets[0] });
    return;
  }
  const failed: string[] = [];
  for (const [index, each] of paths.entries()) {
    try {
      await runOne(each, { ...options, ...targets[index] });
      printMessage(`${each}: ok`);
    } catch (error) {
      failed.push(each);
      printMessage(reportError(error, options.debug === true));
    }
  }
  if (failed.length > 0) {
    throw new ArgumentError(`${failed.length} of ${paths.length} notebooks failed: ${failed.join(", ")}.`);
  }
}
