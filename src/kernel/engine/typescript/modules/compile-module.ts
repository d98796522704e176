import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { readSafely } from "../../../../core/read-safely.js";
import { fileVersion } from "../../cell/file-version.js";
import type { ModuleCompilation } from "../../cell/module-source.js";
import { wrapScript } from "../../cell/wrap-script.js";
import { analyzeCode } from "../analyze/analyze-code.js";
import type { EmitOptions } from "../emit/emit-options.js";
import { importsOfJsx } from "../emit/imports-of-jsx.js";
import { lower } from "../emit/lower.js";
import { rewriteModule } from "./rewrite-module.js";

/**
 * Compiles a TypeScript file to an async function of the same shape as a cell, so that Node's version does not matter
 * and the file can be loaded anew when it has changed. Its types are not checked: its editor does that.
 * For `isFound` see `analyzeCode`.
 */
export function compileModule(
  path: string,
  options: EmitOptions,
  isFound: (specifier: string) => boolean,
): ModuleCompilation {
  const version = fileVersion(path);
  const code = readSafely(() => readFileSync(path, "utf8").replace(/^\uFEFF/, ""), undefined);
  if (code === undefined) return { status: "error", message: `${path} cannot be read.` };
  const language = extname(path) === ".tsx" ? "tsx" : "ts";
  const syntax = analyzeCode(code, language, isFound);
  if (!("program" in syntax)) {
    const [problem] = syntax;
    return { status: "error", message: `${path}${placeOf(code, problem?.labels[0]?.start)}: ${problem?.message}` };
  }
  const rewritten = rewriteModule(code, syntax);
  const lowered = lower(rewritten.code, language, syntax, options);
  const script = wrapScript(language === "tsx" ? importsOfJsx(lowered.code) : lowered.code);
  const sourceMaps = [...lowered.sourceMaps, rewritten.sourceMap];
  return { status: "ok", module: { path, version, code, script, sourceMaps } };
}

function placeOf(code: string, offset: number | undefined): string {
  if (offset === undefined) return "";
  const lines = code.slice(0, offset).split("\n");
  return `:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
