import type { Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { engineName, engineNames } from "../../kernel/engine/cell/engine-name.js";
import { chooseEngine } from "../../kernel/engine/choose-engine.js";
import { hasKernel, installKernel, type KernelPlace, uninstallKernel } from "../../kernel/install/install-kernel.js";
import { installLabExtension, uninstallLabExtension } from "../../kernel/install/lab-extension.js";
import { loadZeroMQ } from "../../kernel/wire/load-zeromq.js";
import { printMessage, printResult } from "../output/terminal.js";

interface PlaceOptions {
  readonly user?: boolean;
  readonly prefix?: string;
  readonly sysPrefix?: boolean;
  readonly name?: string;
}

interface InstallOptions extends PlaceOptions {
  readonly engine?: string;
  readonly labExtension: boolean;
}

/** `siteframe kernel`: tells Jupyter of the kernel. */
export function addKernelCommand(program: Command): void {
  const kernel = program.command("kernel").description("Install the Jupyter kernel, or remove it.");
  withPlace(kernel.command("install").description("Let JupyterLab, VS Code and others find the kernel."))
    .option("--engine <name>", `what understands the cells: ${engineNames.join(", ")}`, engineNames[0])
    .option("--no-lab-extension", "leave out what lets JupyterLab show live outputs in notebooks that are not trusted")
    .action(async ({ labExtension, engine, ...options }: InstallOptions) => {
      const wanted = engineName(engine);
      // Jupyter would only say that the kernel died.
      const { warning } = chooseEngine(wanted);
      await loadZeroMQ();
      const kernel = kernelPlace(options);
      printResult(`installed ${installKernel({ ...kernel, engine: wanted })}`);
      if (warning !== undefined) printMessage(warning);
      if (labExtension) printResult(`installed ${installLabExtension(kernel.place)}`);
    });
  withPlace(
    kernel.command("uninstall").description("Remove the kernel, and JupyterLab's extension with the last one."),
  ).action((options: PlaceOptions) => {
    const kernel = kernelPlace(options);
    printResult(`removed ${uninstallKernel(kernel)}`);
    // A kernel of another name needs it still.
    const extension = hasKernel(kernel.place) ? undefined : uninstallLabExtension(kernel.place);
    if (extension) printResult(`removed ${extension}`);
  });
}

function withPlace(command: Command): Command {
  return command
    .option("--user", "for this user (the default)")
    .option("--prefix <folder>", "under share/jupyter of this folder, for example /usr/local")
    .option("--sys-prefix", "for the Python in use: a virtual environment, for example")
    .option("--name <name>", "what Jupyter calls the kernel", "siteframe");
}

function kernelPlace({ user, prefix, sysPrefix, name }: PlaceOptions): KernelPlace {
  if ([user, prefix, sysPrefix].filter((chosen) => chosen !== undefined).length > 1) {
    throw new ArgumentError("Only one of --user, --prefix and --sys-prefix can be given.");
  }
  const named = name === undefined ? {} : { name };
  if (prefix !== undefined) return { ...named, place: { type: "prefix", prefix } };
  return { ...named, place: { type: sysPrefix ? "sysPrefix" : "user" } };
}
