import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderSync } from "../../core/make-folder.js";
import { packageFolder } from "../../core/package-folder.js";
import { showValue } from "../../core/show-value.js";
import { type EngineName, engineFlags, engineNames } from "../engine/cell/engine-name.js";
import { type InstallPlace, jupyterFolder } from "./jupyter-folders.js";
import { languageName } from "./language-info.js";

const logos = ["logo-32x32.png", "logo-64x64.png", "logo-svg.svg"];
const defaultName = "siteframe";

/** Which kernel, and where. */
export interface KernelPlace {
  /** What Jupyter calls it, for example in `jupyter console --kernel siteframe`. */
  readonly name?: string;
  readonly place: InstallPlace;
}

/** What the kernel runs with. */
export interface KernelChoice {
  /** What understands the cells. Default: typescript. */
  readonly engine?: EngineName;
}

/**
 * Tells Jupyter of the kernel, replacing what it knew.
 *
 * @returns the folder that was written
 * @throws ArgumentError for a name that Jupyter does not accept, or a folder that cannot be written
 */
export function installKernel({
  name = defaultName,
  place,
  engine = engineNames[0],
}: KernelPlace & KernelChoice): string {
  const folder = kernelFolder(name, place);
  const assets = join(packageFolder, "assets", "kernel");
  const displayName = name === defaultName ? "TypeScript (Siteframe)" : `TypeScript (Siteframe: ${name})`;
  try {
    makeFolderSync(folder);
    writeFileSync(join(folder, "kernel.json"), `${JSON.stringify(kernelSpec(displayName, engine), null, 2)}\n`);
    for (const logo of logos) copyFileSync(join(assets, logo), join(folder, logo));
  } catch (cause) {
    throw new ArgumentError(`The kernel cannot be installed in ${folder}.`, {
      cause,
      hint: "Use --user, or a --prefix that you may write to.",
    });
  }
  return folder;
}

/**
 * Removes the kernel.
 *
 * @returns the folder that was removed
 * @throws ArgumentError if there is none, or if it is not ours
 */
export function uninstallKernel({ name = defaultName, place }: KernelPlace): string {
  const folder = kernelFolder(name, place);
  if (!existsSync(join(folder, "kernel.json"))) {
    throw new ArgumentError(`No kernel ${showValue(name)} is installed in ${folder}.`);
  }
  if (!isOurs(folder)) {
    throw new ArgumentError(`The kernel in ${folder} is not Siteframe's.`);
  }
  rmSync(folder, REMOVE_FOLDER);
  return folder;
}

/** Whether a place has a kernel of ours, whatever its name. */
export function hasKernel(place: InstallPlace): boolean {
  const folder = jupyterFolder("kernels", place);
  return existsSync(folder) && readdirSync(folder).some((name) => isOurs(join(folder, name)));
}

function isOurs(folder: string): boolean {
  const spec = join(folder, "kernel.json");
  return existsSync(spec) && readFileSync(spec, "utf8").includes("kernel-main.js");
}

function kernelFolder(name: string, place: InstallPlace): string {
  if (!/^[a-z0-9._-]+$/i.test(name) || /^\.+$/.test(name)) {
    throw new ArgumentError(`A kernel cannot be called ${showValue(name)}.`, {
      hint: "Use letters, digits, dots, dashes and underscores.",
    });
  }
  return join(jupyterFolder("kernels", place), name);
}

/** What Jupyter reads of a kernel before it starts it. */
function kernelSpec(displayName: string, engine: EngineName): object {
  // Always the built program, also when this file runs from source under a test.
  const program = join(packageFolder, "dist", "kernel", "kernel-main.js");
  const chosen = engine === engineNames[0] ? [] : ["--engine", engine];
  return {
    argv: [process.execPath, ...engineFlags, program, "{connection_file}", ...chosen],
    display_name: displayName,
    language: languageName,
    // A signal would do as well, but not on Windows.
    interrupt_mode: "message",
    metadata: { debugger: true },
  };
}
