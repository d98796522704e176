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
  readonly position: string;
}

/** A `tsconfig.json` as a compiler reads it, with the files that it extends. */
export interface ParsedConfig {
  readonly options: ConfigOptions;
  readonly errors: readonly ConfigError[];
}

/** The settings for cells in the `tsconfig.json` next to a notebook. */
interface NotebookConfig {
  /** Its compiler options that apply to cells. */
  readonly options: ConfigOptions;
  /** Problems in the file, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Options that apply to cells and local modules. The other options control emitted files, which a notebook does not
 * have, or report the style of correct code, for example `noUnusedLocals` and `noPropertyAccessFromIndexSignature`.
 */
const honoured: ReadonlySet<string> = new Set([
  ...["strict", "noImplicitAny", "noImplicitThis", "strictBindCallApply", "strictFunctionTypes", "strictNullChecks"],
  ...["strictPropertyInitialization", "useUnknownInCatchVariables", "exactOptionalPropertyTypes"],
  ...["noFallthroughCasesInSwitch", "noImplicitOverride", "noImplicitReturns", "noUncheckedIndexedAccess"],
  ...["allowUnreachableCode", "allowUnusedLabels", "allowSyntheticDefaultImports"],
  ...["baseUrl", "paths", "pathsBasePath", "types", "typeRoots", "lib"],
  ...["jsx", "jsxFactory", "jsxFragmentFactory", "jsxImportSource"],
  ...["experimentalDecorators", "emitDecoratorMetadata", "useDefineForClassFields"],
]);

/** Options that only other versions of the compiler have, and option values without effect. */
const optionsOfOthers =
  /'(charset|erasableSyntaxOnly|importsNotUsedAsValues|isolatedDeclarations|keyofStringsOnly|libReplacement|noCheck|noImplicitUseStrict|noStrictGenericChecks|noUncheckedSideEffectImports|out|preserveValueImports|rewriteRelativeImportExtensions|stableTypeOrdering|strictBuiltinIteratorReturn|suppressExcessPropertyErrors|suppressImplicitAnyIndexErrors)'/;
const valuesOfOthers = /'--(lib|target|module|moduleResolution|moduleDetection)'/;
const unknownOption = 5023;
const unknownValue = 6046;
const noFiles = new Set([18002, 18003]);

/** The options that cells use from a `tsconfig.json`. */
export function notebookConfig({ options, errors }: ParsedConfig): NotebookConfig {
  return {
    options: chosenOptions(options, errors),
    warnings: errors.filter((error) => !isHarmless(error)).map(({ position, message }) => `${position}: ${message}`),
  };
}

function chosenOptions(options: ConfigOptions, errors: readonly ConfigError[]): ConfigOptions {
  // A list without its unknown entry would be worse than no list.
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
