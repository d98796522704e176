import type { EngineName } from "../engine/cell/engine-name.js";

/** Of the compilers; see `nativeCompiler` and `tslabConverter`. */
const versions: Readonly<Record<EngineName, string>> = { typescript: "7.0.2", tslab: "5.0.4" };

/** What the language of cells is called, whatever compiles them. */
export const languageName = "typescript";

/** How notebooks and their readers name, highlight and save the language of cells. */
export function languageInfo(engine: EngineName) {
  return {
    name: languageName,
    version: versions[engine],
    mimetype: "text/typescript",
    file_extension: ".ts",
    pygments_lexer: "typescript",
    // The protocol also allows an object, but Zed and nteract refuse it and then do not start the kernel.
    codemirror_mode: "typescript",
    nbconvert_exporter: "script",
  } as const;
}
