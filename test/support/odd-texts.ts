/** Strings with quotes, escapes and variables of SQL. */
export const oddTexts: readonly string[] = [
  "'; DROP TABLE layer_features; --",
  'a"b',
  "\\u00e9",
  "é\u{1f600}\u2028",
  "tab\tline\n",
  ["$", "{spark.app.name}"].join(""),
  "",
];
