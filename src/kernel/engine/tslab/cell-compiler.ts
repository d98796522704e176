import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type ts from "@tslab/typescript-for-tslab";
import type { CompilerOptions } from "@tslab/typescript-for-tslab";
import type { Converter, Diagnostic } from "tslab/dist/converter.js";
import { type DepthProblem, depthProblem } from "../../../core/code-depth.js";
import { depthError, type Problem, problemError } from "../cell/cell-errors.js";
import { inspectedOffset, positionAt } from "../cell/cell-positions.js";
import type {
  CellError,
  CellLanguage,
  Compilation,
  Completeness,
  Completion,
  Inspection,
  LocalFile,
  ModuleCompilation,
} from "../cell/language-engine.js";
import { fileVersion, localFile } from "../cell/local-files.js";
import { type ConfigOptions, notebookConfig, type ParsedConfig } from "../cell/notebook-config.js";
import { mentionedPreloads, preloadedDeclaration, preloadedNames } from "../cell/preloaded-names.js";
import { wrapScript } from "../cell/wrap-script.js";
import { checkAfterAwait, dynamicImportsToCalls, loadCall, ResultPass } from "./cell-transforms.js";
import { cellTypeScript } from "./cell-typescript.js";
import { CommentReader } from "./comment-reader.js";
import { loadTslab, loadTypeScript, type Tslab, type TypeScript } from "./load-tslab.js";
import { createTypeResolver, namePackages, type TypeResolver, WatchedFiles } from "./type-resolver.js";

/** The compiler's file name of a cell. */
const cellFile = /import\("[^"]*\/__tslab__"\)/g;

/** Line ends of the compiler and, except for Unicode's separators, of editors. */
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/** tslab appends such names, with one more underscore, to a cell. */
const namesBehind = /Cannot find name '_(__[^']+)'/;

/** Codes of errors before the end that more lines can fix: an open comment, an open template. */
const openEnded: ReadonlySet<number> = new Set([1010, 1160]);

/** tslab puts one line before the cell. */
const linesBefore = 1;

/** Checks and compiles cells with tslab's converter, each with the declarations of the cells before it. */
export class CellCompiler implements CellLanguage {
  readonly #ts: TypeScript;
  readonly #options: CompilerOptions;
  readonly #warnings: readonly string[];
  readonly #comments: CommentReader;
  readonly #files = new WatchedFiles();
  readonly #result: ResultPass;
  readonly #resolve: TypeResolver;
  readonly #tslab: Tslab;
  readonly #converter: Converter;
  #declarations: string;
  /** The declarations before the last kept cell, and the cell's name. */
  #before = { name: "", declarations: "" };
  #preloadsTyped = false;

  /** @param declarations `state` of the compiler that this one replaces */
  constructor(directory: string, declarations = "") {
    this.#declarations = declarations;
    this.#ts = loadTypeScript();
    const { options, warnings } = notebookConfig(readConfig(this.#ts, directory));
    this.#options = options as CompilerOptions;
    this.#warnings = warnings;
    this.#resolve = createTypeResolver(this.#ts, this.#ts.sys);
    this.#comments = new CommentReader(this.#ts);
    this.#result = new ResultPass(this.#ts);
    const shared = { files: this.#files, comments: this.#comments, result: this.#result };
    this.#tslab = loadTslab(cellTypeScript(this.#ts, { directory, options: this.#options, ...shared }));
    this.#converter = this.#tslab.createConverter({});
    this.#converter.addModule("__siteframe__", preloadedDeclaration(new Set()));
  }

  compile(code: string, name: string, { keep = true } = {}): Compilation {
    const tooDeep = this.#tooDeep(code);
    if (tooDeep) return { status: "error", error: depthError(tooDeep, code, name) };
    this.#prepare(code);
    const {
      diagnostics,
      output = "",
      declOutput = "",
      lastExpressionVar: resultName,
    } = this.#converter.convert(this.#declarations, code);
    if (diagnostics.length > 0) return { status: "error", error: describeDiagnostics(diagnostics, code, name) };
    if (keep) {
      this.#before = { name, declarations: this.#declarations };
      this.#declarations = declOutput;
    }
    const { text, maps } = this.#result.leftScript ? { text: output, maps: [] } : withoutModule(this.#ts, output);
    const made = { script: wrapScript(text), sourceMaps: [...maps, output], linesBefore };
    return { status: "ok", cell: { name, code, ...made, names: [], resultName } };
  }

  complete(code: string, offset: number): Completion {
    if (this.#tooDeep(code)) return { matches: [], start: offset, end: offset };
    this.#prepare(code);
    const { candidates, start, end } = this.#converter.complete(this.#declarations, code, offset);
    return inSpecifier(code.slice(0, offset), candidates) ?? { matches: candidates, start, end };
  }

  inspect(code: string, offset: number): Inspection | undefined {
    if (this.#tooDeep(code)) return undefined;
    this.#prepare(code);
    this.#comments.want();
    const position = inspectedOffset(code, offset);
    // The compiler returns undefined if it has no information, despite tslab's types.
    const info: ReturnType<Converter["inspect"]> | undefined =
      position === undefined ? undefined : this.#converter.inspect(this.#declarations, code, position);
    if (!info) return undefined;
    const text = (parts: readonly { text: string }[] = []) => parts.map((part) => part.text).join("");
    return { signature: namePackages(text(info.displayParts)), documentation: text(info.documentation) };
  }

  isComplete(code: string): Completeness {
    return this.#tooDeep(code) ? { status: "invalid" } : codeCompleteness(this.#ts, this.#tslab, code);
  }

  warnings(): readonly string[] {
    return this.#warnings;
  }

  findModule(specifier: string, from: string): LocalFile | undefined {
    const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
    const { resolvedModule } = this.#resolve(path, from, this.#options);
    const isLocal = resolvedModule && !resolvedModule.isExternalLibraryImport;
    return isLocal ? localFile(resolvedModule.resolvedFileName) : undefined;
  }

  compileModule(path: string): ModuleCompilation {
    return compileLocalModule(this.#ts, this.#options, path);
  }

  /** Compilation is synchronous, so an interrupt ends its thread instead. See `CompilerThread`. */
  interrupt(): void {
    return;
  }

  /** The declarations of all cells. */
  get state(): string {
    return this.#declarations;
  }

  retract(name: string): void {
    if (this.#before.name === name) this.#declarations = this.#before.declarations;
  }

  reset(): void {
    this.#declarations = "";
  }

  close(): void {
    this.#converter.close();
  }

  #tooDeep(code: string): DepthProblem | undefined {
    return depthProblem(code, { jsx: this.#options.jsx !== undefined });
  }

  /** Only cells that mention a package read its types. */
  #prepare(code: string): void {
    this.#files.look();
    if (this.#preloadsTyped || mentionedPreloads(code).size === 0) return;
    this.#preloadsTyped = true;
    this.#converter.addModule("__siteframe__", preloadedDeclaration(new Set(Object.keys(preloadedNames))));
  }
}

/**
 * Compiles a TypeScript file to an async function of the same form as a cell, so that it works on every version of Node
 * and can be reloaded after a change. Types are not checked: the file's editor does that.
 */
function compileLocalModule(ts: TypeScript, options: ts.CompilerOptions, path: string): ModuleCompilation {
  const version = fileVersion(path);
  const code = ts.sys.readFile(path);
  if (code === undefined) return { status: "error", message: `${path} cannot be read.` };
  const tooDeep = depthProblem(code, { jsx: /x$/.test(path) });
  if (tooDeep) {
    const { line, column } = positionAt(code, tooDeep.offset);
    return { status: "error", message: `${path}:${line}:${column}: ${tooDeep.message}` };
  }
  const {
    outputText,
    sourceMapText,
    diagnostics = [],
  } = ts.transpileModule(code, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: {
      ...options,
      jsx: options.jsx === ts.JsxEmit.React ? options.jsx : ts.JsxEmit.ReactJSX,
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      sourceMap: true,
    },
    transformers: { before: [dynamicImportsToCalls(ts), checkAfterAwait(ts)], after: [awaitRequires(ts)] },
  });
  const [problem] = diagnostics;
  if (problem)
    return {
      status: "error",
      message: `${path}${placeOf(problem)}: ${ts.flattenDiagnosticMessageText(problem.messageText, " ")}`,
    };
  return {
    status: "ok",
    module: { path, version, code, script: wrapScript(outputText), sourceMaps: [sourceMapText ?? ""] },
  };
}

/**
 * Each `require` that the compiler wrote for an `import` waits for the module. The user's `require` calls stay
 * unchanged.
 */
function awaitRequires(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  const isWritten = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === "require" &&
    node.expression.pos < 0;
  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context);
      return isWritten(inner) ? loadCall(ts, inner.arguments) : inner;
    };
    return ts.visitEachChild(file, visit, context);
  };
}

/** Type and syntax errors of a cell as one error, with the position and source line of each. */
function describeDiagnostics(diagnostics: readonly Diagnostic[], code: string, cellName: string): CellError {
  const problems = diagnostics.map(({ start, code: number, messageText }): Problem => {
    const name = namesBehind.exec(messageText)?.[1];
    const offset = offsetOf(code, start);
    if (offset === undefined && name !== undefined) {
      const message = `Invalid name: ${name}. With tslab, names must not begin with two underscores.`;
      return { position: positionAt(code, Math.max(0, code.search(nameAlone(name)))), message };
    }
    const message = `TS${number}: ${namePackages(messageText).replace(cellFile, 'import("this cell")')}`;
    return { position: positionAt(code, offset ?? code.length), message };
  });
  return problemError(problems, code, cellName);
}

function nameAlone(name: string): RegExp {
  return new RegExp(`(?<![\\p{ID_Continue}$])${name.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`, "u");
}

/** Converts the compiler's position; undefined in the code that tslab appends to a cell. */
function offsetOf(code: string, { line, character }: Diagnostic["start"]): number | undefined {
  if (line === 0) return character;
  const end = [...code.matchAll(lineEnd)][line - 1];
  return end && end.index + end[0].length + character;
}

/** Whether code is ready to run, needs more lines, or cannot become valid by adding lines. */
function codeCompleteness(ts: TypeScript, tslab: Tslab, code: string): Completeness {
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: "cell.ts",
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  const end = code.trimEnd().length;
  const errors = diagnostics.filter(({ start }) => start !== undefined);
  if (errors.some((error) => (error.start as number) < end && !openEnded.has(error.code))) return { status: "invalid" };
  if (errors.length === 0) return { status: "complete" };
  const { completed, indent = "" } = tslab.isCompleteCode(code);
  return { status: "incomplete", indent: completed ? "" : indent };
}

/**
 * In specifiers tslab treats a completion as text to insert at the cursor. It replaces the whole specifier, or the part
 * after a slash.
 */
function inSpecifier(before: string, offered: readonly string[]): Completion | undefined {
  const specifier = /\b(?:from|import|require)\s*\(?\s*["'`]([^"'`\n]*)$/.exec(before)?.[1];
  if (specifier === undefined) return undefined;
  const end = before.length;
  for (const written of [specifier, specifier.slice(specifier.lastIndexOf("/") + 1)]) {
    const matches = offered.filter((each) => each.startsWith(written));
    if (matches.length > 0) return { matches, start: end - written.length, end };
  }
  return { matches: [], start: end, end };
}

/** A cell's ES module, without imports, as a script that leaves its names in `exports`, with the map back. */
function withoutModule(ts: TypeScript, esModule: string): { readonly text: string; readonly maps: readonly string[] } {
  const { outputText, sourceMapText = "" } = ts.transpileModule(esModule, {
    fileName: "cell.js",
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, sourceMap: true },
  });
  return { text: outputText, maps: [sourceMapText] };
}

/** Reads the `tsconfig.json` of a notebook's own folder, if it has one, with what it extends. */
function readConfig(ts: TypeScript, directory: string): ParsedConfig {
  const path = join(directory, "tsconfig.json");
  if (!ts.sys.fileExists(path)) return { options: {}, errors: [] };
  // The project's list of files is not needed, and collecting it may take long.
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: () => [],
  };
  const file = ts.readJsonConfigFile(path, ts.sys.readFile);
  const parsed = ts.parseJsonSourceFileConfigFileContent(file, host, directory, undefined, path);
  const { error: syntaxError } = ts.readConfigFile(path, ts.sys.readFile);
  return {
    options: parsed.options as ConfigOptions,
    errors: (syntaxError ? [syntaxError] : parsed.errors).map((problem) => ({
      code: problem.code,
      message: ts.flattenDiagnosticMessageText(problem.messageText, " "),
      position: relative(directory, problem.file?.fileName ?? path) + placeOf(problem),
    })),
  };
}

/** Line and column, behind the name of a file: `:3:5`. */
function placeOf({
  file,
  start,
}: {
  readonly file: Pick<ts.SourceFile, "getLineAndCharacterOfPosition"> | undefined;
  readonly start: number | undefined;
}): string {
  const position = start === undefined ? undefined : file?.getLineAndCharacterOfPosition(start);
  return position ? `:${position.line + 1}:${position.character + 1}` : "";
}
