import type { Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { installKernel, type KernelPlace, uninstallKernel } from "../../kernel/install/install-kernel.js";
import { loadZeroMQ } from "../../kernel/wire/load-zeromq.js";

interface PlaceOptions {
  readonly user?: boolean;
  readonly prefix?: string;
  readonly sysPrefix?: boolean;
  readonly name?: string;
}

/** `siteframe kernel`: tells Jupyter of the kernel. */
export function addKernelCommand(program: Command): void {
  const kernel = program.command("kernel").description("Install the Jupyter kernel, or remove it.");
  withPlace(kernel.command("install").description("Let JupyterLab, VS Code and others find the kernel.")).action(
    async (options: PlaceOptions) => {
      // Jupyter would only say that the kernel died.
      await loadZeroMQ();
      process.stdout.write(`installed ${installKernel(kernelPlace(options))}\n`);
    },
  );
  withPlace(kernel.command("uninstall").description("Remove the kernel.")).action((options: PlaceOptions) => {
    process.stdout.write(`removed ${uninstallKernel(kernelPlace(options))}\n`);
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
