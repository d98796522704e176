import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type ts from "@tslab/typescript-for-tslab";
import { fileVersion } from "../cell/file-version.js";
import type { LocalFile, ModuleCompilation } from "../cell/module-source.js";
import { importName, wrapScript } from "../cell/wrap-script.js";
import { checkAfterAwait } from "./check-after-await.js";
import { dynamicImportsToCalls } from "./imports-to-calls.js";
import type { TypeScript } from "./load-tslab.js";
import type { TypeResolver } from "./type-resolver.js";

const typescriptFiles: ReadonlySet<string> = new Set([".ts", ".tsx", ".mts", ".cts"]);
const declarationFile = /\.d\.[cm]?ts$/;

/** Finds what a specifier means that is no package, as the compiler does; `undefined` leaves it to Node. */
export function findLocalFile(
  resolve: TypeResolver,
  options: ts.CompilerOptions,
  specifier: string,
  from: string,
): LocalFile | undefined {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
  const { resolvedModule } = resolve(path, from, options);
  if (!resolvedModule || resolvedModule.isExternalLibraryImport) return undefined;
  const { resolvedFileName } = resolvedModule;
  if (declarationFile.test(resolvedFileName)) return undefined;
  const extension = extname(resolvedFileName);
  const kind = typescriptFiles.has(extension) ? "typescript" : extension === ".json" ? "json" : "javascript";
  return { path: resolvedFileName, kind };
}

/**
 * Compiles a TypeScript file to an async function of the same shape as a cell, so that Node's version does not matter
 * and the file can be loaded anew when it has changed. Its types are not checked: its editor does that.
 */
export function compileLocalModule(ts: TypeScript, options: ts.CompilerOptions, path: string): ModuleCompilation {
  const version = fileVersion(path);
  const code = ts.sys.readFile(path);
  if (code === undefined) return { status: "error", message: `${path} cannot be read.` };
  const {
    outputText,
    sourceMapText,
    diagnostics = [],
  } = ts.transpileModule(code, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: {
      ...options,
      jsx: options.jsx === ts.JsxEmit.React ? options.jsx : ts.JsxEmit.ReactJSX,
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      sourceMap: true,
    },
    transformers: { before: [dynamicImportsToCalls(ts), checkAfterAwait(ts)], after: [awaitRequires(ts)] },
  });
  const [problem] = diagnostics;
  if (problem) return { status: "error", message: `${path}${describe(ts, problem)}` };
  return {
    status: "ok",
    module: { path, version, code, script: wrapScript(outputText), sourceMaps: [sourceMapText ?? ""] },
  };
}

/** Each `require` that the compiler wrote for an `import` waits for the module; those of the user's stay. */
function awaitRequires(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  const isWritten = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === "require" &&
    node.expression.pos < 0;
  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context);
      if (!isWritten(inner)) return inner;
      return factory.createAwaitExpression(
        factory.createCallExpression(factory.createIdentifier(importName), undefined, inner.arguments),
      );
    };
    return ts.visitEachChild(file, visit, context);
  };
}

function describe(ts: TypeScript, { file, start = 0, messageText }: ts.Diagnostic): string {
  const position = file?.getLineAndCharacterOfPosition(start);
  const place = position ? `:${position.line + 1}:${position.character + 1}` : "";
  return `${place}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
}
