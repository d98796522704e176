/** Compiler options as a compiler reads them from a `tsconfig.json`: paths are absolute, enumerations are numbers. */
export interface ConfigOptions {
  readonly jsx?: number;
  /** Files of libraries, such as `lib.es2022.d.ts`. */
  readonly lib?: readonly string[];
  readonly baseUrl?: string;
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  /** The folder to which `paths` are relative without `baseUrl`. */
  readonly pathsBasePath?: unknown;
  readonly [name: string]: unknown;
}

/** An error in a `tsconfig.json`, or in a file that it extends. */
export interface ConfigError {
  readonly code: number;
  readonly message: string;
  /** The path of the file, relative to the folder of the notebook, with line and column if known: `tsconfig.json:3:5`. */
  readonly place: string;
}

/** A `tsconfig.json` as a compiler reads it, with the files that it extends. */
export interface ParsedConfig {
  readonly options: ConfigOptions;
  readonly errors: readonly ConfigError[];
}

/** What the `tsconfig.json` beside a notebook says to its cells. */
interface NotebookConfig {
  /** Those of its compiler options that mean something in cells. */
  readonly options: ConfigOptions;
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

/** Options that only earlier or later versions have than the compiler of cells, and values of options without effect. */
const optionsOfOthers =
  /'(charset|erasableSyntaxOnly|importsNotUsedAsValues|isolatedDeclarations|keyofStringsOnly|libReplacement|noCheck|noImplicitUseStrict|noStrictGenericChecks|noUncheckedSideEffectImports|out|preserveValueImports|rewriteRelativeImportExtensions|stableTypeOrdering|strictBuiltinIteratorReturn|suppressExcessPropertyErrors|suppressImplicitAnyIndexErrors)'/;
const valuesOfOthers = /'--(lib|target|module|moduleResolution|moduleDetection)'/;
const unknownOption = 5023;
const unknownValue = 6046;
const noFiles = new Set([18002, 18003]);

/** What cells take over from a `tsconfig.json`. */
export function notebookConfig({ options, errors }: ParsedConfig): NotebookConfig {
  return {
    options: chosenOptions(options, errors),
    warnings: errors.filter((error) => !isHarmless(error)).map(({ place, message }) => `${place}: ${message}`),
  };
}

function chosenOptions(options: ConfigOptions, errors: readonly ConfigError[]): ConfigOptions {
  // A list without the entry that the compiler does not know would say less than no list.
  const isIncomplete = errors.some(({ code, message }) => code === unknownValue && message.includes("'--lib'"));
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => honoured.has(name) && !(name === "lib" && isIncomplete)),
  );
}

function isHarmless({ code, message }: ConfigError): boolean {
  return (
    noFiles.has(code) ||
    (code === unknownOption && optionsOfOthers.test(message)) ||
    (code === unknownValue && valuesOfOthers.test(message))
  );
}
