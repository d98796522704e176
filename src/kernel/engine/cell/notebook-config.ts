import { join, relative } from "node:path";
import type ts from "typescript";

/** A compiler that is written in JavaScript. */
export type TypeScript = typeof ts;

/** What the `tsconfig.json` beside a notebook says to its cells. */
interface NotebookConfig {
  /** Those of its compiler options that mean something in cells. */
  readonly options: ts.CompilerOptions;
  /** What is wrong with it, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Options that cells and local modules take over. The others say what to emit and where, which a notebook does not, or
 * find fault with what is only right in a notebook, as `noUnusedLocals` would.
 */
const honoured: ReadonlySet<string> = new Set([
  ...["strict", "noImplicitAny", "noImplicitThis", "strictBindCallApply", "strictFunctionTypes", "strictNullChecks"],
  ...["strictPropertyInitialization", "useUnknownInCatchVariables", "exactOptionalPropertyTypes"],
  ...["noFallthroughCasesInSwitch", "noImplicitOverride", "noImplicitReturns", "noPropertyAccessFromIndexSignature"],
  ...["noUncheckedIndexedAccess", "allowUnreachableCode", "allowUnusedLabels", "allowSyntheticDefaultImports"],
  ...["baseUrl", "paths", "pathsBasePath", "types", "typeRoots", "lib"],
  ...["jsx", "jsxFactory", "jsxFragmentFactory", "jsxImportSource"],
  ...["experimentalDecorators", "emitDecoratorMetadata", "useDefineForClassFields"],
]);

/** Options and values of later versions than the compiler of cells, which are right but mean nothing to it. */
const laterOptions =
  /'(erasableSyntaxOnly|isolatedDeclarations|libReplacement|noCheck|noUncheckedSideEffectImports|rewriteRelativeImportExtensions|stableTypeOrdering|strictBuiltinIteratorReturn)'/;
const valuesOfOthers = /'--(lib|target|module|moduleResolution|moduleDetection)'/;
const unknownOption = 5023;
const unknownValue = 6046;
const noFiles = new Set([18002, 18003]);

/** Reads the `tsconfig.json` of a notebook's own folder, if it has one, with what it extends. */
export function readNotebookConfig(ts: TypeScript, directory: string): NotebookConfig {
  const path = join(directory, "tsconfig.json");
  if (!ts.sys.fileExists(path)) return { options: {}, warnings: [] };
  // Which files belong to the project is of no interest, and looking for them may take long.
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: () => [],
  };
  const file = ts.readJsonConfigFile(path, ts.sys.readFile);
  const parsed = ts.parseJsonSourceFileConfigFileContent(file, host, directory, undefined, path);
  const { error: syntaxError } = ts.readConfigFile(path, ts.sys.readFile);
  const problems = syntaxError ? [syntaxError] : parsed.errors.filter((error) => !isHarmless(error));
  return {
    options: chosenOptions(parsed),
    warnings: problems.map(
      (problem) => relative(directory, problem.file?.fileName ?? path) + placedMessage(ts, problem),
    ),
  };
}

function chosenOptions({ options, errors }: ts.ParsedCommandLine): ts.CompilerOptions {
  const chosen = Object.fromEntries(Object.entries(options).filter(([name]) => honoured.has(name)));
  // A list without the entry that the compiler does not know would say less than no list.
  if (errors.some(({ code, messageText }) => code === unknownValue && /'--lib'/.test(String(messageText)))) {
    delete chosen["lib"];
  }
  return chosen;
}

function isHarmless({ code, messageText }: ts.Diagnostic): boolean {
  const text = typeof messageText === "string" ? messageText : messageText.messageText;
  return (
    noFiles.has(code) ||
    (code === unknownOption && laterOptions.test(text)) ||
    (code === unknownValue && valuesOfOthers.test(text))
  );
}

/** A diagnostic of either compiler. */
interface Diagnostic extends Pick<ts.Diagnostic, "messageText"> {
  readonly file: Pick<ts.SourceFile, "fileName" | "getLineAndCharacterOfPosition"> | undefined;
  readonly start: number | undefined;
}

/** A message of the compiler's behind its place in a file: `:3:5: …`, or `: …` where there is none. */
export function placedMessage(ts: Pick<TypeScript, "flattenDiagnosticMessageText">, diagnostic: Diagnostic): string {
  const { file, start, messageText } = diagnostic;
  const position = start === undefined ? undefined : file?.getLineAndCharacterOfPosition(start);
  const place = position ? `:${position.line + 1}:${position.character + 1}` : "";
  return `${place}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
}
