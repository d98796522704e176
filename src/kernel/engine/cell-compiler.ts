import type { Converter, Diagnostic } from "tslab/dist/converter.js";
import { type CellSource, cellSource } from "./cell-positions.js";
import { cellTypeScript } from "./cell-typescript.js";
import { compileScript } from "./compile-script.js";
import { displayDeclaration } from "./display-global.js";
import type { Completeness, Completion, Inspection } from "./language-engine.js";
import { loadTslab, loadTypeScript, type Tslab, type TypeScript } from "./load-tslab.js";

/** A cell without errors, ready to run. */
export interface CompiledCell {
  /** See `compileScript`. */
  readonly script: string;
  readonly source: CellSource;
  /** The name in `exports` under which the script leaves the value of its last expression. */
  readonly resultName: string | undefined;
  /** What the next cell may know of this one and its predecessors. */
  readonly declarations: string;
}

/** Checks and compiles cells, each in the light of the declarations of those before it. */
export class CellCompiler {
  declarations = "";
  readonly #ts: TypeScript;
  readonly #tslab: Tslab;
  readonly #converter: Converter;

  constructor(directory: string) {
    this.#ts = loadTypeScript();
    this.#tslab = loadTslab(cellTypeScript(this.#ts, directory));
    this.#converter = this.#tslab.createConverter({});
    this.#converter.addModule("__siteframe__", displayDeclaration);
  }

  compile(code: string): CompiledCell | readonly Diagnostic[] {
    const {
      diagnostics,
      output = "",
      declOutput = "",
      lastExpressionVar,
    } = this.#converter.convert(this.declarations, code);
    if (diagnostics.length > 0) return diagnostics;
    const { code: script, sourceMap } = compileScript(this.#ts, output);
    const source = cellSource(code, output, sourceMap);
    return { script, source, resultName: lastExpressionVar, declarations: declOutput };
  }

  complete(code: string, offset: number): Completion {
    const { candidates, start, end } = this.#converter.complete(this.declarations, code, offset);
    return { matches: candidates, start, end };
  }

  inspect(code: string, offset: number): Inspection | undefined {
    // The compiler gives nothing where nothing can be said, whatever tslab's types say.
    const info: ReturnType<Converter["inspect"]> | undefined = this.#converter.inspect(this.declarations, code, offset);
    if (!info) return undefined;
    const text = (parts: readonly { text: string }[] = []) => parts.map((part) => part.text).join("");
    return { signature: text(info.displayParts), documentation: text(info.documentation) };
  }

  isComplete(code: string): Completeness {
    const { completed, indent = "" } = this.#tslab.isCompleteCode(code);
    return completed ? { status: "complete" } : { status: "incomplete", indent };
  }

  close(): void {
    this.#converter.close();
  }
}
