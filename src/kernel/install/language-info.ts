/** How notebooks and their readers name, highlight and save the language of cells. */
export const languageInfo = {
  name: "typescript",
  /** Of the compiler; see `loadTypeScript`. */
  version: "5.0.4",
  mimetype: "text/typescript",
  file_extension: ".ts",
  pygments_lexer: "typescript",
  codemirror_mode: { name: "javascript", typescript: true },
  nbconvert_exporter: "script",
} as const;
