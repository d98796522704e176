import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import { ancestors } from "../../cell/local-files.js";
import { folderPrefix, removeFolder } from "./stale-folders.js";

/**
 * A private folder outside the project that contains the cells as files for the compiler. It mirrors the notebook's
 * location, so that relative imports of cells resolve there, and above it Siteframe's location, whose packages all
 * cells can import.
 */
export class TypesFolder {
  /** The folder of the cells. */
  readonly path: string;
  /** Value of `rootDirs`, which joins the mirror and its source. */
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
      // Also if missing: packages may be installed while a notebook runs.
      mirrorModules(join(folder, "node_modules"), join(mirror, folder.slice(root.length), "node_modules"));
    }
  }

  /** Writes a file and returns its path. */
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

/** A folder below `level` from which the packages of `modules` resolve, if there are any. */
function nest(level: string, modules: string): string {
  if (!existsSync(modules)) return level;
  link(modules, join(level, "node_modules"));
  const next = join(level, "below");
  mkdirSync(next);
  return next;
}

/** The notebook of an installed package is itself in one of these folders: then its neighbors are linked one by one. */
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
  // A junction needs no privileges on Windows; elsewhere the type is ignored.
  symlinkSync(target, path, "junction");
}
