import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError, DependencyError, FileError } from "../../core/errors.js";
import { makeFolderSync } from "../../core/make-folder.js";
import { packageFolder } from "../../core/package-folder.js";
import { showValue } from "../../core/show-value.js";
import { type EngineName, engineFlags, engineNames } from "../engine/cell/engine-name.js";
import { languageName } from "./language-info.js";

const logos = ["logo-32x32.png", "logo-64x64.png", "logo-svg.svg"];
const defaultName = "siteframe";

/** Options of `installKernel`. */
export interface KernelPlace {
  /** The kernel's name in Jupyter, for example in `jupyter console --kernel siteframe`. */
  readonly name?: string;
  readonly place: InstallPlace;
}

/** Command and environment of the kernel. */
export interface KernelChoice {
  /** The language engine. Default: typescript. */
  readonly engine?: EngineName;
}

/**
 * Registers the kernel with Jupyter, replacing an earlier registration.
 *
 * @returns the folder with the kernelspec
 * @throws ArgumentError if Jupyter does not allow the name, or the folder is not writable
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
    throw new FileError(`The kernel cannot be installed in ${folder}: the folder is not writable.`, {
      cause,
      hint: "Use --user, or a writable folder with --prefix DIR.",
      facts: { path: folder },
    });
  }
  return folder;
}

/**
 * Removes the kernel.
 *
 * @returns the folder that was removed
 * @throws ArgumentError if the kernel is not installed, or belongs to another program
 */
export function uninstallKernel({ name = defaultName, place }: KernelPlace): string {
  const folder = kernelFolder(name, place);
  if (!existsSync(join(folder, "kernel.json"))) {
    throw new ArgumentError(`Kernel ${showValue(name)} is not installed in ${folder}.`);
  }
  if (!isOurs(folder)) {
    throw new ArgumentError(`The kernel in ${folder} is not Siteframe's.`);
  }
  rmSync(folder, REMOVE_FOLDER);
  return folder;
}

/** Whether a folder contains a Siteframe kernel, whatever its name. */
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
    throw new ArgumentError(`Invalid kernel name: ${showValue(name)}.`, {
      hint: "Use letters, digits, dots, dashes and underscores.",
    });
  }
  return join(jupyterFolder("kernels", place), name);
}

/** The kernelspec that Jupyter reads. */
function kernelSpec(displayName: string, engine: EngineName): object {
  // Always the built program, also when this file runs from source under a test.
  const program = join(packageFolder, "dist", "kernel", "kernel-main.js");
  const chosen = engine === engineNames[0] ? [] : ["--engine", engine];
  return {
    argv: [process.execPath, ...engineFlags, program, "{connection_file}", ...chosen],
    display_name: displayName,
    language: languageName,
    // A signal would also work, but not on Windows.
    interrupt_mode: "message",
    metadata: { debugger: true },
  };
}

/** Where to install: for this user, in a prefix such as `/usr/local`, or in the current Python environment. */
export type InstallPlace =
  | { readonly type: "user" }
  | { readonly type: "prefix"; readonly prefix: string }
  | { readonly type: "sysPrefix" };

/**
 * Returns the folder in which Jupyter looks for kernels, or JupyterLab for extensions.
 *
 * @throws ArgumentError if a Python environment is requested and Python is missing
 */
export function jupyterFolder(kind: "kernels" | "labextensions", place: InstallPlace): string {
  if (place.type === "user") return join(userDataFolder(), kind);
  const prefix = place.type === "prefix" ? place.prefix : pythonPrefix();
  return join(prefix, "share", "jupyter", kind);
}

function userDataFolder(): string {
  const { env } = process;
  const chosen = env["JUPYTER_DATA_DIR"];
  if (chosen) return chosen;
  if (process.platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "jupyter");
  if (process.platform === "darwin") return join(homedir(), "Library", "Jupyter");
  return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "jupyter");
}

function pythonPrefix(): string {
  const active = process.env["VIRTUAL_ENV"] || process.env["CONDA_PREFIX"];
  if (active) return active;
  for (const python of ["python3", "python"]) {
    try {
      const code = "import sys; print(sys.prefix)";
      return execFileSync(python, ["-c", code], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      // Try the next command.
    }
  }
  throw new DependencyError("--sys-prefix needs Python, which was not found.", {
    hint: "Use --user, or --prefix DIR.",
  });
}
