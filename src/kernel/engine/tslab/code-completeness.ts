import type { Completeness } from "../cell/language-engine.js";
import type { Tslab, TypeScript } from "./load-tslab.js";

/** Codes of errors that more lines can mend though they stand before the end: an open comment, an open template. */
const openEnded: ReadonlySet<number> = new Set([1010, 1160]);

/** Whether code is ready to run, wants more lines, or cannot become right by adding any. */
export function codeCompleteness(compiler: TypeScript, tslab: Tslab, code: string): Completeness {
  const errors = syntaxErrors(compiler, code);
  const end = code.trimEnd().length;
  const first = errors.find(({ start, code: error }) => start < end && !openEnded.has(error));
  if (first) return { status: "invalid" };
  if (errors.length === 0) return { status: "complete" };
  const { completed, indent = "" } = tslab.isCompleteCode(code);
  return { status: "incomplete", indent: completed ? "" : indent };
}

interface SyntaxProblem {
  readonly code: number;
  readonly start: number;
}

function syntaxErrors(compiler: TypeScript, code: string): readonly SyntaxProblem[] {
  const { diagnostics = [] } = compiler.transpileModule(code, {
    fileName: "cell.ts",
    reportDiagnostics: true,
    compilerOptions: { target: compiler.ScriptTarget.ES2022, module: compiler.ModuleKind.ESNext },
  });
  return diagnostics.flatMap((diagnostic) =>
    diagnostic.start === undefined ? [] : [{ code: diagnostic.code, start: diagnostic.start }],
  );
}
