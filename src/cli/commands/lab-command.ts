import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { DependencyError } from "../../core/errors.js";
import { engineNames } from "../../kernel/engine/cell/engine-name.js";
import { chooseEngine } from "../../kernel/engine/choose-engine.js";
import { installKernel } from "../../kernel/install/install-kernel.js";
import { installLabExtension } from "../../kernel/install/lab-extension.js";
import { loadZeroMQ } from "../../kernel/wire/sockets.js";

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
