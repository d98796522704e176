import { existsSync } from "node:fs";
import { join } from "node:path";
import { readNotebookConfig } from "../../cell/notebook-config.js";
import { loadTypeScript } from "../emit/load-typescript.js";
import type { EmitOptions } from "../emit/lower.js";
import type { ProjectOptions } from "./cell-project.js";

/** Where the specifiers that fit a pattern with one `*` lead. */
export interface PathPattern {
  readonly pattern: string;
  /** Absolute, each with a `*` where the pattern has one. */
  readonly targets: readonly string[];
}

/** What the `tsconfig.json` beside a notebook says, if there is one. */
export interface NotebookOptions {
  /** For the compiler. */
  readonly project: ProjectOptions;
  /** For writing JavaScript. */
  readonly emit: EmitOptions;
  readonly paths: readonly PathPattern[];
  readonly hasJsx: boolean;
  readonly warnings: readonly string[];
}

const jsxNames: readonly (string | undefined)[] = [
  undefined,
  "preserve",
  "react",
  "react-native",
  "react-jsx",
  "react-jsxdev",
];

/** Reads the `tsconfig.json` of a notebook's own folder. What reads it takes a while to load. */
export function readNotebookOptions(directory: string): NotebookOptions {
  const none = { project: { directory }, emit: {}, paths: [], hasJsx: false, warnings: [] };
  if (!existsSync(join(directory, "tsconfig.json"))) return none;
  const { options, warnings } = readNotebookConfig(loadTypeScript(), directory);
  const { jsx, lib, baseUrl, paths = {}, pathsBasePath, ...others } = options;
  const patterns = pathPatterns(directory, { baseUrl, paths, pathsBasePath });
  const jsxName = jsxNames[jsx ?? 0];
  const project = {
    ...others,
    ...(lib ? { lib: lib.map((file) => file.replace(/^lib\.|\.d\.ts$/g, "")) } : {}),
    ...(jsxName === undefined ? {} : { jsx: jsxName }),
    ...(patterns.length === 0
      ? {}
      : { paths: Object.fromEntries(patterns.map((each) => [each.pattern, each.targets])) }),
    directory,
  };
  const emit = { ...emitOptions(project), ...(jsxName === "react" ? { jsx: jsxName } : {}) } as EmitOptions;
  return { project, emit, paths: patterns, hasJsx: jsxName !== undefined, warnings };
}

const emitted = [
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "experimentalDecorators",
  "emitDecoratorMetadata",
  "useDefineForClassFields",
];

function emitOptions(options: ProjectOptions): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => emitted.includes(name)));
}

interface PathOptions {
  readonly baseUrl: string | undefined;
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly pathsBasePath: unknown;
}

/** `baseUrl`, which the compiler takes no longer, is a pattern for everything. */
function pathPatterns(directory: string, { baseUrl, paths, pathsBasePath }: PathOptions): readonly PathPattern[] {
  const base = baseUrl ?? (typeof pathsBasePath === "string" ? pathsBasePath : directory);
  const patterns = Object.entries(paths).map(([pattern, targets]) => ({
    pattern,
    targets: targets.map((target) => join(base, target)),
  }));
  const hasAll = patterns.some(({ pattern }) => pattern === "*");
  return baseUrl === undefined || hasAll ? patterns : [...patterns, { pattern: "*", targets: [join(baseUrl, "*")] }];
}
