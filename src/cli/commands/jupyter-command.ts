import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { ArgumentError, DependencyError } from "../../core/errors.js";
import { engineName, engineNames } from "../../kernel/engine/cell/engine-name.js";
import { chooseEngine } from "../../kernel/engine/choose-engine.js";
import { hasKernel, installKernel, type KernelPlace, uninstallKernel } from "../../kernel/install/install-kernel.js";
import { installLabExtension, uninstallLabExtension } from "../../kernel/install/lab-extension.js";
import { loadZeroMQ } from "../../kernel/wire/sockets.js";
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

/** Adds `siteframe kernel`, which installs and removes the Jupyter kernel. */
export function addKernelCommand(program: Command): void {
  const kernel = program.command("kernel").description("Install or remove the Jupyter kernel.");
  withPlace(kernel.command("install").description("Install the kernel for JupyterLab, VS Code and other clients."))
    .option("--engine <name>", `engine that compiles cells: ${engineNames.join(", ")}`, engineNames[0])
    .option("--no-lab-extension", "do not install the JupyterLab extension for live outputs in untrusted notebooks")
    .action(async ({ labExtension, engine, ...options }: InstallOptions) => {
      const requested = engineName(engine);
      // Jupyter would only report that the kernel died.
      const { warning } = chooseEngine(requested);
      await loadZeroMQ();
      const kernel = kernelPlace(options);
      printResult(`installed ${installKernel({ ...kernel, engine: requested })}`);
      if (warning !== undefined) printMessage(warning);
      if (labExtension) printResult(`installed ${installLabExtension(kernel.place)}`);
    });
  withPlace(
    kernel.command("uninstall").description("Remove the kernel, and with the last one the JupyterLab extension."),
  ).action((options: PlaceOptions) => {
    const kernel = kernelPlace(options);
    printResult(`removed ${uninstallKernel(kernel)}`);
    // Another kernel may still need the extension.
    const extension = hasKernel(kernel.place) ? undefined : uninstallLabExtension(kernel.place);
    if (extension) printResult(`removed ${extension}`);
  });
}

function withPlace(command: Command): Command {
  return command
    .option("--user", "install for this user (the default)")
    .option("--prefix <folder>", "install under share/jupyter of this folder, for example /usr/local")
    .option("--sys-prefix", "install for the current Python, for example a virtual environment")
    .option("--name <name>", "name of the kernel in Jupyter", "siteframe");
}

function kernelPlace({ user, prefix, sysPrefix, name }: PlaceOptions): KernelPlace {
  if ([user, prefix, sysPrefix].filter((chosen) => chosen !== undefined).length > 1) {
    throw new ArgumentError("siteframe kernel: --user, --prefix and --sys-prefix exclude each other.", {
      hint: "Use only one of them.",
    });
  }
  const named = name === undefined ? {} : { name };
  if (prefix !== undefined) return { ...named, place: { type: "prefix", prefix } };
  return { ...named, place: { type: sysPrefix ? "sysPrefix" : "user" } };
}

const ways: readonly (readonly [string, ...string[]])[] = [
  ["jupyter", "lab"],
  ["jupyter-lab"],
  ["python3", "-m", "jupyterlab"],
  ["python", "-m", "jupyterlab"],
];

/** Adds `siteframe lab`, which opens JupyterLab with the kernel. */
export function addLabCommand(program: Command): void {
  program
    .command("lab")
    .summary("Open JupyterLab with the kernel.")
    .description("Open JupyterLab with the kernel, after installing the kernel for this user. Requires JupyterLab.")
    .argument("[folder]", "folder to open", ".")
    .option("--no-lab-extension", "do not install the JupyterLab extension for live outputs in untrusted notebooks")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", "\nPasses all further arguments to JupyterLab, for example --no-browser.")
    .action(async (folder: string, { labExtension }: { readonly labExtension: boolean }, command: Command) => {
      const [program, ...first] = findLab();
      chooseEngine(engineNames[0]);
      await loadZeroMQ();
      installKernel({ place: { type: "user" } });
      if (labExtension) installLabExtension({ type: "user" });
      const lab = spawn(program, [...first, folder, ...command.args.slice(1)], { stdio: "inherit" });
      // JupyterLab handles Ctrl-C and asks for confirmation.
      process.on("SIGINT", () => undefined);
      const [code] = await once(lab, "exit");
      process.exitCode = typeof code === "number" ? code : 1;
    });
}

function findLab(): readonly [string, ...string[]] {
  const launcher = ways.find(([program, ...first]) => {
    const { status } = spawnSync(program, [...first, "--version"], { stdio: "ignore" });
    return status === 0;
  });
  if (launcher) return launcher;
  throw new DependencyError("siteframe lab: JupyterLab is missing.", {
    hint: "Install it with `pip install jupyterlab` (or `uv tool install jupyterlab`), or open the notebook in VS Code with its Jupyter extension after `siteframe kernel install`.",
  });
}
