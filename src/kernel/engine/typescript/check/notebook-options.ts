import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ConfigError, type ConfigOptions, notebookConfig } from "../../cell/notebook-config.js";
import type { EmitOptions } from "../emit/lower.js";
import type { ProjectOptions } from "./cell-project.js";
import { runCompiler } from "./native-compiler.js";
import { folderPrefix, removeFolder } from "./stale-folders.js";

/** Paths of specifiers that match a pattern with one `*`. */
export interface PathPattern {
  readonly pattern: string;
  /** Absolute, each with a `*` where the pattern has one. */
  readonly targets: readonly string[];
}

/** The settings in the `tsconfig.json` next to a notebook, if present. */
export interface NotebookOptions {
  /** For the compiler. */
  readonly project: ProjectOptions;
  /** For writing JavaScript. */
  readonly emit: EmitOptions;
  readonly paths: readonly PathPattern[];
  readonly hasJsx: boolean;
  readonly warnings: readonly string[];
}

/** The compiler's numbers for values of `jsx`. */
const jsxNames: readonly (string | undefined)[] = [
  undefined,
  "preserve",
  "react-native",
  "react",
  "react-jsx",
  "react-jsxdev",
];

/** Reads the `tsconfig.json` of a notebook's own folder, with what it extends. */
export function readNotebookOptions(directory: string): NotebookOptions {
  const path = join(directory, "tsconfig.json");
  if (!existsSync(path)) return { project: { directory }, emit: {}, paths: [], hasJsx: false, warnings: [] };
  const { options, warnings } = notebookConfig({ options: readOptions(path), errors: readErrors(path, directory) });
  const { jsx, lib, baseUrl, paths, pathsBasePath, ...others } = options;
  const patterns = pathPatterns(directory, options);
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

/** The compiler's method that reads a `tsconfig.json`, and message types of its API. */
const parseConfig = "parseConfigFile";
const request = 1;
const response = 4;

/** The options of a `tsconfig.json`. `tsc --showConfig` does not print the folder to which `paths` of an extended file are relative. */
function readOptions(path: string): ConfigOptions {
  const message = [Buffer.from([0x93, request]), bytes(parseConfig), bytes(JSON.stringify({ file: path }))];
  const answer = runCompiler(["--api"], dirname(path), Buffer.concat(message));
  // An unreadable file is a method error here; `readErrors` has the message.
  if (answer[1] !== response) return {};
  const body = answer.indexOf(parseConfig) + parseConfig.length;
  // MessagePack's `bin` has its length in one, two or four bytes.
  const json = answer.subarray(body + 1 + 2 ** (answer.readUInt8(body) - 0xc4));
  return (JSON.parse(json.toString()) as { readonly options: ConfigOptions }).options;
}

/** Bytes in MessagePack. */
function bytes(text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.from([0xc6, 0, 0, 0, 0]);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** A project that extends the `tsconfig.json`, so that the compiler reads none of the user's files. */
const probe = "__siteframe_config.json";
/** Syntax errors have lower codes. */
const syntaxCodes = 1300;
const errorLine = /^(?:(.+)\((\d+),(\d+)\): )?error TS(\d+): (.*(?:\r?\n {2,}.*)*)/gm;

/** Options about the project's own files, which are unset so that they do not apply to the probe's file. */
const optionsOfFiles = [
  "rootDir",
  "outDir",
  "outFile",
  "declarationDir",
  "tsBuildInfoFile",
  "composite",
  "incremental",
];

/**
 * Errors of a `tsconfig.json`, except errors of option combinations, which are in the project that extends it, and
 * errors about the project's own files.
 */
function readErrors(path: string, directory: string): readonly ConfigError[] {
  const folder = mkdtempSync(folderPrefix());
  try {
    const unset = Object.fromEntries(optionsOfFiles.map((name) => [name, null]));
    const compilerOptions = { ...unset, noEmit: true, noLib: true, noResolve: true, types: [] };
    const files = { files: ["cell.ts"], include: [], exclude: [] };
    writeFileSync(join(folder, probe), JSON.stringify({ extends: path, ...files, compilerOptions }));
    writeFileSync(join(folder, "cell.ts"), "");
    const printed = runCompiler(["-p", join(folder, probe), "--listFilesOnly", "--pretty", "false"], directory);
    const errors = [...printed.toString().matchAll(errorLine)].flatMap(([, file, line, column, code, message = ""]) => {
      if (file !== undefined && basename(file) === probe) return [];
      const position = file === undefined ? "tsconfig.json" : `${file}:${line}:${column}`;
      return [{ code: Number(code), message: message.replace(/\r?\n\s*/g, " "), position }];
    });
    // One syntax error often causes others.
    const syntax = errors.find(({ code }) => code < syntaxCodes);
    return syntax ? [syntax] : errors;
  } finally {
    removeFolder(folder);
  }
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

/** `baseUrl`, which the compiler no longer supports, becomes a pattern for all specifiers. */
function pathPatterns(
  directory: string,
  { baseUrl, paths = {}, pathsBasePath }: ConfigOptions,
): readonly PathPattern[] {
  const base = baseUrl ?? (typeof pathsBasePath === "string" ? pathsBasePath : directory);
  const patterns = Object.entries(paths).map(([pattern, targets]) => ({
    pattern,
    targets: targets.map((target) => join(base, target)),
  }));
  const hasAll = patterns.some(({ pattern }) => pattern === "*");
  return baseUrl === undefined || hasAll ? patterns : [...patterns, { pattern: "*", targets: [join(baseUrl, "*")] }];
}
