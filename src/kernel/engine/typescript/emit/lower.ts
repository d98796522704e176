import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type MagicString from "magic-string";
import { type HelperMode, transformSync } from "oxc-transform";
import { ownJson } from "../../../../core/json.js";
import type { CompiledModule } from "../../cell/language-engine.js";
import { wrapScript } from "../../cell/wrap-script.js";
import type { CodeSyntax } from "../analyze/analyze-code.js";
import { type Language, parseGenerated } from "../analyze/syntax.js";
import { CompilerEndedError, runCompiler } from "../check/native-compiler.js";
import { folderPrefix, removeFolder } from "../check/stale-folders.js";
import { importCode } from "./rewrite.js";

/** JavaScript for every supported Node, with the maps to the original, step by step. */
interface Lowered {
  readonly code: string;
  readonly sourceMaps: readonly string[];
}

/** The compiled code of a cell or file that was rewritten as the body of an async function in TypeScript. */
export function toScript(
  rewritten: MagicString,
  syntax: CodeSyntax,
  options: EmitOptions,
): Pick<CompiledModule, "script" | "sourceMaps"> {
  const { code, sourceMaps } = lower(rewritten.toString(), syntax, options);
  return {
    script: wrapScript(syntax.language === "tsx" ? importsOfJsx(code) : code),
    sourceMaps: [...sourceMaps, rewritten.generateMap({ hires: "boundary" }).toString()],
  };
}

/**
 * Removes types from code, and transforms newer syntax for every supported Node: with oxc, in a fraction of a
 * millisecond. The compiler, a process that takes about 15 ms, handles the rest: decorators, and namespaces with
 * variables or in several parts.
 */
function lower(code: string, { language, hasDecorators, mergesNamespaces }: CodeSyntax, options: EmitOptions): Lowered {
  // Legacy decorators of TypeScript may need the types.
  const isSlow = mergesNamespaces || (hasDecorators && options.experimentalDecorators);
  const stripped = isSlow ? undefined : lowerFast(code, language, options);
  if (!stripped) return lowerFully(code, `cell.${language}`, options);
  if (!hasDecorators) return stripped;
  const lowered = lowerFully(stripped.code, "cell.js", options);
  return { code: lowered.code, sourceMaps: [...lowered.sourceMaps, ...stripped.sourceMaps] };
}

function lowerFast(code: string, language: Language, options: EmitOptions): Lowered | undefined {
  const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource, useDefineForClassFields = true } = options;
  const assign = !useDefineForClassFields;
  const output = transformSync(`cell.${language}`, code, {
    sourceType: "module",
    target: "es2022",
    sourcemap: true,
    helpers: { mode: "External" as HelperMode },
    jsx: {
      runtime: jsx === "react" ? "classic" : "automatic",
      ...(jsxFactory === undefined ? {} : { pragma: jsxFactory }),
      ...(jsxFragmentFactory === undefined ? {} : { pragmaFrag: jsxFragmentFactory }),
      ...(jsxImportSource === undefined ? {} : { importSource: jsxImportSource }),
    },
    assumptions: { setPublicClassFields: assign },
    typescript: { onlyRemoveTypeImports: true, removeClassFieldsWithoutInitializer: assign },
  });
  if (output.errors.length > 0 || !output.map) return undefined;
  return { code: output.code, sourceMaps: [JSON.stringify(output.map)] };
}

/** @throws NoCompilerError if the compiler is missing */
function lowerFully(code: string, fileName: string, options: EmitOptions): Lowered {
  const folder = mkdtempSync(folderPrefix());
  try {
    writeFileSync(join(folder, fileName), code);
    writeFileSync(join(folder, "tsconfig.json"), ownJson({ compilerOptions: fullOptions(options), files: [fileName] }));
    const printed = runCompiler(["-p", folder], folder);
    const output = join(folder, "out", "cell.js");
    if (!existsSync(output)) throw new CompilerEndedError(`without code: ${printed.toString().trim()}`);
    return {
      code: readFileSync(output, "utf8").replace(/(^|\n)export \{\};\s*(\/\/# sourceMappingURL=.*)?\s*$/, "$1"),
      sourceMaps: [readFileSync(`${output}.map`, "utf8")],
    };
  } finally {
    removeFolder(folder);
  }
}

/** The cell is already checked, so the compiler reads neither libraries nor imports. */
function fullOptions({ jsx, ...others }: EmitOptions): object {
  return {
    ...others,
    jsx: jsx === "react" ? jsx : "react-jsx",
    target: "es2022",
    module: "esnext",
    moduleDetection: "force",
    verbatimModuleSyntax: true,
    isolatedModules: true,
    allowJs: true,
    noCheck: true,
    noLib: true,
    noResolve: true,
    types: [],
    sourceMap: true,
    newLine: "lf",
    rootDir: ".",
    outDir: "out",
  };
}

/** Options of a `tsconfig.json` for emitting code for Node, under the same names. */
export interface EmitOptions {
  readonly jsx?: "react" | "react-jsx" | "preserve";
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly useDefineForClassFields?: boolean;
}

/** The root names of the functions that JSX calls if no module provides them. */
export function jsxNames({ jsx, jsxFactory = "React", jsxFragmentFactory = "React" }: EmitOptions): readonly string[] {
  return jsx === "react" ? [jsxFactory, jsxFragmentFactory].map((path) => path.replace(/\..*$/, "")) : [];
}

/** Converts the imports written for JSX to calls. Each is on a separate line. */
function importsOfJsx(code: string): string {
  const { program } = parseGenerated("cell.js", code);
  let result = code;
  for (const statement of [...program.body].reverse()) {
    if (statement.type !== "ImportDeclaration") continue;
    result = result.slice(0, statement.start) + importCode(statement) + result.slice(statement.end);
  }
  return result;
}
