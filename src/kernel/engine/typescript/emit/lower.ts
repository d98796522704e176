import { type HelperMode, transformSync } from "oxc-transform";
import type { CodeSyntax, Language } from "../analyze/analyze-code.js";
import type { EmitOptions } from "./emit-options.js";
import { loadTypeScript } from "./load-typescript.js";

/** JavaScript that every Node takes, and the maps back to what it was, step by step. */
export interface Lowered {
  readonly code: string;
  readonly sourceMaps: readonly string[];
}

/**
 * Takes the types out of code, and writes newer syntax for every Node: by oxc, which takes a fraction of a millisecond.
 * What oxc leaves is for TypeScript, which takes a while to load: decorators, and namespaces with variables or in several parts.
 */
export function lower(
  code: string,
  language: Language,
  { hasDecorators, mergesNamespaces }: Pick<CodeSyntax, "hasDecorators" | "mergesNamespaces">,
  options: EmitOptions,
): Lowered {
  // Decorators of TypeScript's own kind may want the types.
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

function lowerFully(code: string, fileName: string, options: EmitOptions): Lowered {
  const ts = loadTypeScript();
  const { jsx, ...others } = options;
  const { outputText, sourceMapText = "" } = ts.transpileModule(code, {
    fileName,
    compilerOptions: {
      ...others,
      jsx: jsx === "react" ? ts.JsxEmit.React : ts.JsxEmit.ReactJSX,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      verbatimModuleSyntax: true,
      sourceMap: true,
    },
  });
  return {
    code: outputText.replace(/(^|\n)export \{\};\s*(\/\/# sourceMappingURL=.*)?\s*$/, "$1"),
    sourceMaps: [sourceMapText],
  };
}
