import type { CompilerOptions } from "@tslab/typescript-for-tslab";
import type { Converter } from "tslab/dist/converter.js";
import { inspectedOffset } from "../cell/inspected-offset.js";
import type { CellLanguage, Compilation, Completeness, Completion, Inspection } from "../cell/language-engine.js";
import type { LocalFile, ModuleCompilation } from "../cell/module-source.js";
import { type TypeScript as NewerTypeScript, readNotebookConfig } from "../cell/notebook-config.js";
import { mentionsPreload, preloadedDeclaration } from "../cell/preloaded-declaration.js";
import { cellTypeScript } from "./cell-typescript.js";
import { codeCompleteness } from "./code-completeness.js";
import { CommentReader } from "./comment-reader.js";
import { compileScript, plainScript } from "./compile-script.js";
import { describeDiagnostics } from "./describe-diagnostics.js";
import { namePackages } from "./far-types.js";
import { loadTslab, loadTypeScript, type Tslab, type TypeScript } from "./load-tslab.js";
import { compileLocalModule, findLocalFile } from "./local-modules.js";
import { ResultPass } from "./result-pass.js";
import { createTypeResolver, type TypeResolver } from "./type-resolver.js";
import { WatchedFiles } from "./watched-files.js";

/** tslab puts one line before the cell. */
const linesBefore = 1;

/** Checks and compiles cells with tslab's converter, each in the light of the declarations of those before it. */
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
  #declarations = "";
  #preloadsTyped = false;

  constructor(directory: string) {
    this.#ts = loadTypeScript();
    // What reads a `tsconfig.json` is the same in both, but for the options that they know.
    const { options, warnings } = readNotebookConfig(this.#ts as unknown as NewerTypeScript, directory);
    this.#options = options as CompilerOptions;
    this.#warnings = warnings;
    this.#resolve = createTypeResolver(this.#ts, this.#ts.sys);
    this.#comments = new CommentReader(this.#ts);
    this.#result = new ResultPass(this.#ts);
    const shared = { files: this.#files, comments: this.#comments, result: this.#result };
    this.#tslab = loadTslab(cellTypeScript(this.#ts, { directory, options: this.#options, ...shared }));
    this.#converter = this.#tslab.createConverter({});
    this.#converter.addModule("__siteframe__", preloadedDeclaration(false));
  }

  compile(code: string, name: string, { keep = true } = {}): Compilation {
    this.#prepare(code);
    const {
      diagnostics,
      output = "",
      declOutput = "",
      lastExpressionVar: resultName,
    } = this.#converter.convert(this.#declarations, code);
    if (diagnostics.length > 0) return { status: "error", error: describeDiagnostics(diagnostics, code, name) };
    if (keep) this.#declarations = declOutput;
    const { code: script, sourceMap } = this.#result.leftScript ? plainScript(output) : compileScript(this.#ts, output);
    const sourceMaps = sourceMap === undefined ? [output] : [sourceMap, output];
    return { status: "ok", cell: { name, code, script, sourceMaps, linesBefore, names: [], resultName } };
  }

  complete(code: string, offset: number): Completion {
    this.#prepare(code);
    const { candidates, start, end } = this.#converter.complete(this.#declarations, code, offset);
    return inSpecifier(code.slice(0, offset), candidates) ?? { matches: candidates, start, end };
  }

  inspect(code: string, offset: number): Inspection | undefined {
    this.#prepare(code);
    this.#comments.want();
    const position = inspectedOffset(code, offset);
    // The compiler gives nothing where nothing can be said, whatever tslab's types say.
    const info: ReturnType<Converter["inspect"]> | undefined =
      position === undefined ? undefined : this.#converter.inspect(this.#declarations, code, position);
    if (!info) return undefined;
    const text = (parts: readonly { text: string }[] = []) => parts.map((part) => part.text).join("");
    return { signature: namePackages(text(info.displayParts)), documentation: text(info.documentation) };
  }

  isComplete(code: string): Completeness {
    return codeCompleteness(this.#ts, this.#tslab, code);
  }

  warnings(): readonly string[] {
    return this.#warnings;
  }

  findModule(specifier: string, from: string): LocalFile | undefined {
    return findLocalFile(this.#resolve, this.#options, specifier, from);
  }

  compileModule(path: string): ModuleCompilation {
    return compileLocalModule(this.#ts, this.#options, path);
  }

  reset(): void {
    this.#declarations = "";
  }

  close(): void {
    this.#converter.close();
  }

  /** Reading the types of whole packages is for cells that mention them. */
  #prepare(code: string): void {
    this.#files.look();
    if (this.#preloadsTyped || !mentionsPreload(code)) return;
    this.#preloadsTyped = true;
    this.#converter.addModule("__siteframe__", preloadedDeclaration(true));
  }
}

/** In specifiers tslab takes what is offered for what follows the cursor. It is all of one, or what stands behind a slash. */
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
