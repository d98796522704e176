import type { EngineName } from "../engine/cell/engine-name.js";

/** Versions of the compilers; see `nativeCompiler` and `tslabConverter`. */
const versions: Readonly<Record<EngineName, string>> = { typescript: "7.0.2", tslab: "5.0.4" };

/** The name of the cells' language, for every engine. */
export const languageName = "typescript";

/** Name, highlighting and file extension of the cells' language in notebooks. */
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
