import { join, relative } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import type { ConfigOptions, ParsedConfig } from "../cell/notebook-config.js";
import type { TypeScript } from "./load-tslab.js";

/** Reads the `tsconfig.json` of a notebook's own folder, if it has one, with what it extends. */
export function readConfig(ts: TypeScript, directory: string): ParsedConfig {
  const path = join(directory, "tsconfig.json");
  if (!ts.sys.fileExists(path)) return { options: {}, errors: [] };
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
  return {
    options: parsed.options as ConfigOptions,
    errors: (syntaxError ? [syntaxError] : parsed.errors).map((problem) => ({
      code: problem.code,
      message: ts.flattenDiagnosticMessageText(problem.messageText, " "),
      place: relative(directory, problem.file?.fileName ?? path) + placeOf(problem),
    })),
  };
}

/** Line and column, behind the name of a file: `:3:5`. */
export function placeOf({
  file,
  start,
}: {
  readonly file: Pick<ts.SourceFile, "getLineAndCharacterOfPosition"> | undefined;
  readonly start: number | undefined;
}): string {
  const position = start === undefined ? undefined : file?.getLineAndCharacterOfPosition(start);
  return position ? `:${position.line + 1}:${position.character + 1}` : "";
}
