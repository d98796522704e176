import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import { ancestors } from "../../cell/local-files.js";
import { folderPrefix, removeFolder } from "./stale-folders.js";

/**
 * A folder outside the project, which no one else can read, in which the compiler finds the cells as files. It mirrors
 * where the notebook lies, so that what cells import by a path is found there, and above that where Siteframe is
 * installed, whose packages all cells can import.
 */
export class TypesFolder {
  /** The folder of the cells. */
  readonly path: string;
  /** What `rootDirs` has to hold, so that the mirror and what it shows are one. */
  readonly rootDirs: readonly string[];
  readonly #top: string;

  constructor(directory: string) {
    this.#top = mkdtempSync(folderPrefix());
    process.once("exit", this.#atExit);
    const { root } = parse(directory);
    let level = this.#top;
    for (const folder of [...ancestors(packageFolder)].reverse()) level = nest(level, join(folder, "node_modules"));
    level = join(level, "own");
    mkdirSync(join(level, "node_modules"), { recursive: true });
    link(packageFolder, join(level, "node_modules", "siteframe"));
    link(
      join(packageFolder, "dist", "vendor", "typescript", "libraries", "@typescript"),
      join(level, "node_modules", "@typescript"),
    );
    const mirror = join(level, "cells");
    this.rootDirs = [mirror, root];
    this.path = join(mirror, directory.slice(root.length));
    mkdirSync(this.path, { recursive: true });
    for (const folder of ancestors(directory)) {
      // Also where there are none yet: packages may be installed while a notebook runs.
      mirrorModules(join(folder, "node_modules"), join(mirror, folder.slice(root.length), "node_modules"));
    }
  }

  /** Writes a file, and gives its path. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    process.off("exit", this.#atExit);
    removeFolder(this.#top);
  }

  readonly #atExit = () => this.remove();
}

/** A folder below `level`, from which the packages of `modules` are found, if there are any. */
function nest(level: string, modules: string): string {
  if (!existsSync(modules)) return level;
  link(modules, join(level, "node_modules"));
  const next = join(level, "below");
  mkdirSync(next);
  return next;
}

/** A notebook of an installed package lies in one of these folders itself: then its neighbours are linked one by one. */
function mirrorModules(modules: string, path: string): void {
  if (!existsSync(path)) {
    link(modules, path);
    return;
  }
  for (const name of readdirSync(modules)) {
    if (!existsSync(join(path, name))) link(join(modules, name), join(path, name));
  }
}

function link(target: string, path: string): void {
  // A junction needs no rights on Windows; elsewhere the word has no meaning.
  symlinkSync(target, path, "junction");
}
