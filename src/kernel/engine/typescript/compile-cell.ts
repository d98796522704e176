import type { CompiledCell } from "../cell/language-engine.js";
import { isOfScripts, wrapScript } from "../cell/wrap-script.js";
import { analyzeCode, type CodeSyntax, type Language } from "./analyze/analyze-code.js";
import { type CellNames, cellNames } from "./analyze/cell-names.js";
import { type EmitOptions, jsxNames } from "./emit/emit-options.js";
import { importsOfJsx } from "./emit/imports-of-jsx.js";
import { lower } from "./emit/lower.js";
import { resultName, rewriteCell } from "./emit/rewrite-cell.js";

/** A cell that has been read. */
export interface CellReading {
  readonly syntax: CodeSyntax;
  readonly names: CellNames;
}

/** What is wrong with a cell that cannot be read, and where, counted from its start. */
export interface ReadingProblem {
  readonly message: string;
  readonly offset: number;
}

/** Reads a cell, or says why it cannot be read. For `isFound` see `analyzeCode`. */
export function readCell(
  code: string,
  language: Language,
  isFound: (specifier: string) => boolean,
): CellReading | ReadingProblem {
  const syntax = analyzeCode(code, language, isFound);
  if ("program" in syntax) {
    const names = cellNames(syntax);
    const own = [...names.values.keys()].find(isOfScripts);
    if (own === undefined) return { syntax, names };
    return { message: `The name ${own} is one of the kernel's own; take another.`, offset: code.indexOf(own) };
  }
  const [first] = syntax;
  return { message: first?.message ?? "The cell cannot be read.", offset: first?.labels[0]?.start ?? 0 };
}

/** Names that a cell uses without writing them. */
export function impliedNames({ hasJsx }: CodeSyntax, options: EmitOptions): readonly string[] {
  return hasJsx ? [...new Set(jsxNames(options))] : [];
}

/** What a cell is compiled with. */
export interface CellEmission {
  readonly name: string;
  readonly language: Language;
  readonly options: EmitOptions;
  /** Whether a name is one of an earlier cell, with a value. */
  isEarlier(name: string): boolean;
}

/** Makes a cell that was read ready to run. */
export function emitCell(code: string, { syntax, names }: CellReading, emission: CellEmission): CompiledCell {
  const { name, language, options, isEarlier } = emission;
  const rewritten = rewriteCell(code, syntax, names, isEarlier, impliedNames(syntax, options));
  const lowered = lower(rewritten.code, language, syntax, options);
  return {
    ...{ name, code, script: wrapScript(language === "tsx" ? importsOfJsx(lowered.code) : lowered.code) },
    ...{ sourceMaps: [...lowered.sourceMaps, rewritten.sourceMap], linesBefore: 0 },
    names: [...names.values.keys()],
    resultName: rewritten.hasResult ? resultName : undefined,
  };
}
