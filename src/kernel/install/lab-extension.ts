import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError, FileError } from "../../core/errors.js";
import { makeFolderSync } from "../../core/make-folder.js";
import { packageFolder, packageVersion } from "../../core/package-folder.js";
import { frameScriptHashes } from "../../tables/display/frame-script.js";
import { type InstallPlace, jupyterFolder } from "./install-kernel.js";

/** The name of the extension in JupyterLab, and of its folder. */
const name = "siteframe";

/**
 * Installs the JupyterLab extension, replacing an older version. It also renders Siteframe's outputs in untrusted
 * notebooks, and connects tables to the kernel. JupyterLab finds it on start; no build is needed.
 *
 * @returns the folder that was written
 * @throws FileError if the folder is not writable, and ArgumentError if it has another package's extension
 */
export function installLabExtension(place: InstallPlace): string {
  const folder = extensionFolder(place);
  if (existsSync(folder) && !isOurs(folder)) {
    throw new ArgumentError(`The JupyterLab extension in ${folder} is not Siteframe's.`, {
      hint: "Use --no-lab-extension to keep it.",
    });
  }
  const files = join(folder, "static");
  try {
    rmSync(folder, REMOVE_FOLDER);
    makeFolderSync(files);
    cpSync(join(packageFolder, "assets", "lab"), files, { recursive: true });
    // Only frames of this release: the hashes of scripts in untrusted notebooks must be known.
    writeFileSync(
      join(files, "frame-hashes.js"),
      `export const frameHashes = ${JSON.stringify(frameScriptHashes())};\n`,
    );
    writeFileSync(join(folder, "package.json"), json(description()));
    writeFileSync(join(folder, "install.json"), json(origin));
  } catch (cause) {
    throw new FileError(`The JupyterLab extension cannot be installed in ${folder}: the folder is not writable.`, {
      cause,
      hint: "Use --user, a writable folder with --prefix DIR, or --no-lab-extension.",
      facts: { path: folder },
    });
  }
  return folder;
}

/**
 * Removes JupyterLab's extension.
 *
 * @returns the removed folder; undefined if Siteframe's extension was not installed
 */
export function uninstallLabExtension(place: InstallPlace): string | undefined {
  const folder = extensionFolder(place);
  if (!isOurs(folder)) return undefined;
  rmSync(folder, REMOVE_FOLDER);
  return folder;
}

/** JupyterLab's information about the origin of an extension. */
const origin = {
  packageManager: "npm",
  packageName: name,
  uninstallInstructions: "Run `siteframe kernel uninstall`.",
};

function description(): object {
  return {
    name,
    version: packageVersion(),
    description: "Interactive Siteframe outputs.",
    license: "MIT",
    jupyterlab: {
      _build: {
        load: "static/remoteEntry.js",
        mimeExtension: "./renderer-extension",
        extension: "./plugins",
      },
    },
  };
}

function extensionFolder(place: InstallPlace): string {
  return join(jupyterFolder("labextensions", place), name);
}

function isOurs(folder: string): boolean {
  const file = join(folder, "install.json");
  if (!existsSync(file)) return false;
  const { packageName } = JSON.parse(readFileSync(file, "utf8")) as Partial<typeof origin>;
  return packageName === name;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
