import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError } from "../../core/errors.js";
import { makeFolderSync } from "../../core/make-folder.js";
import { packageFolder } from "../../core/package-folder.js";
import { frameScriptHashes } from "../../tables/display/frame-script.js";
import { type InstallPlace, jupyterFolder } from "./jupyter-folders.js";

/** As JupyterLab knows the extension, and the folder that it is in. */
const name = "siteframe";

/**
 * Places JupyterLab's extension, replacing an older one. It renders our outputs in notebooks that are not trusted too,
 * and connects tables to the kernel. JupyterLab finds it when it starts; there is nothing to build.
 *
 * @returns the folder that was written
 * @throws ArgumentError if it cannot be written, or if another package's extension is there
 */
export function installLabExtension(place: InstallPlace): string {
  const folder = extensionFolder(place);
  if (existsSync(folder) && !isOurs(folder)) {
    throw new ArgumentError(`The JupyterLab extension in ${folder} is not Siteframe's.`, {
      hint: "Use --no-lab-extension to leave it there.",
    });
  }
  const files = join(folder, "static");
  try {
    rmSync(folder, REMOVE_FOLDER);
    makeFolderSync(files);
    cpSync(join(packageFolder, "assets", "lab"), files, { recursive: true });
    // Frames of this release, and of no other: what an untrusted notebook brings must be known by heart.
    writeFileSync(
      join(files, "frame-hashes.js"),
      `export const frameHashes = ${JSON.stringify(frameScriptHashes())};\n`,
    );
    writeFileSync(join(folder, "package.json"), json(description()));
    writeFileSync(join(folder, "install.json"), json(origin));
  } catch (cause) {
    throw new ArgumentError(`JupyterLab's extension cannot be installed in ${folder}.`, {
      cause,
      hint: "Use --user, a --prefix that you may write to, or --no-lab-extension.",
    });
  }
  return folder;
}

/**
 * Removes JupyterLab's extension.
 *
 * @returns the folder that was removed, if there was one of ours
 */
export function uninstallLabExtension(place: InstallPlace): string | undefined {
  const folder = extensionFolder(place);
  if (!isOurs(folder)) return undefined;
  rmSync(folder, REMOVE_FOLDER);
  return folder;
}

/** What JupyterLab says of where an extension comes from. */
const origin = {
  packageManager: "npm",
  packageName: name,
  uninstallInstructions: "Run `siteframe kernel uninstall`.",
};

function description(): object {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  return {
    name,
    version,
    description: "Outputs of Siteframe that answer when they are pointed at.",
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
