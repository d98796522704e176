import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import type { TypesFolder } from "./types-folder.js";

/** Compiler options under the names, and with the values, that they have in a `tsconfig.json`. */
export type ProjectOptions = Readonly<Record<string, unknown>>;

/**
 * The text of the `tsconfig.json` for cells.
 *
 * @param own options of the notebook's own `tsconfig.json` that mean something in cells, with absolute paths
 */
export function projectFile({ rootDirs }: TypesFolder, own: ProjectOptions, files: readonly string[]): string {
  const { typeRoots } = own;
  const compilerOptions = {
    strict: false,
    lib: languageLibraries(),
    types: [],
    ...own,
    typeRoots: [...(Array.isArray(typeRoots) ? typeRoots : []), ...typeFolders(own["directory"])],
    directory: undefined,
    ...{ target: "esnext", module: "preserve", moduleResolution: "bundler", moduleDetection: "force" },
    ...{ noEmit: true, skipLibCheck: true, allowJs: true, checkJs: false, resolveJsonModule: true },
    ...{ allowImportingTsExtensions: true, esModuleInterop: true, rootDirs },
  };
  return JSON.stringify({ compilerOptions, files });
}

/** Where declarations of Node and others are, beside the notebook and beside Siteframe. */
function typeFolders(directory: unknown): readonly string[] {
  const folders = [...(typeof directory === "string" ? ancestors(directory) : []), ...ancestors(packageFolder)];
  return [...new Set(folders.map((folder) => join(folder, "node_modules", "@types")))].filter(existsSync);
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** The libraries of the language that the running Node has, as TypeScript calls them. */
export function languageLibraries(version: string = process.versions.node): readonly string[] {
  const major = Number.parseInt(version, 10);
  const always = ["es2023", "esnext.disposable", "esnext.decorators", "esnext.intl"];
  if (major < 22) return always;
  const since22 = ["es2024", "es2025.collection", "es2025.iterator", "esnext.array"];
  return [...always, ...since22, ...(major < 24 ? [] : ["es2025", "esnext.error"])];
}
