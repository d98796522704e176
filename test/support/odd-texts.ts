/** Texts that quotes, escapes and variables of SQL could break. An engine that can, is also asked for NUL. */
export const oddTexts: readonly string[] = [
  "'; DROP TABLE layer_features; --",
  'a"b',
  "\\u00e9",
  "é\u{1f600}\u2028",
  "tab\tline\n",
  ["$", "{spark.app.name}"].join(""),
  "",
];
