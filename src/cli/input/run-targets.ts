import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { ArgumentError } from "../../core/errors.js";

/** Where an executed notebook, or its page, is to be written. */
export interface RunTargets {
  readonly out?: string;
  readonly html?: string;
}

/**
 * The files for each notebook. What is given is a folder if there are several notebooks, or if it is one already.
 *
 * @throws ArgumentError if two notebooks of the same name would be written to the same file
 */
export function runTargets(paths: readonly string[], { out, html }: RunTargets): readonly RunTargets[] {
  const name = (path: string) => basename(path, ".ipynb");
  const twice = paths.find((path, index) => paths.findIndex((other) => name(other) === name(path)) !== index);
  if (twice !== undefined && (out !== undefined || html !== undefined)) {
    throw new ArgumentError(`Two notebooks are called ${basename(twice)}: one would be written over the other.`, {
      hint: "Run them one by one, each with a file of its own.",
    });
  }
  const target = (chosen: string, path: string, extension: string) =>
    paths.length > 1 || isFolder(chosen) ? join(chosen, `${name(path)}${extension}`) : chosen;
  return paths.map((path) => ({
    ...(out === undefined ? {} : { out: target(out, path, ".ipynb") }),
    ...(html === undefined ? {} : { html: target(html, path, ".html") }),
  }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
