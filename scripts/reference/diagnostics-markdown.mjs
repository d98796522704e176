/**
 * Returns every diagnostic code with an anchor, as Markdown.
 *
 * @param {readonly (readonly [string, string])[]} severities codes with their severity
 * @param {Readonly<Record<string, { meaning: string, fix: string }>>} texts by code
 * @returns {string} Markdown
 */
export function diagnosticsMarkdown(severities, texts) {
  const sections = severities.map(([code, severity]) => {
    const { meaning, fix } = texts[code];
    return `<a id="${code}"></a>\n\n## ${code}\n\n*${severity}.* ${meaning}\n\n**Fix:** ${fix}`;
  });
  return `${["# Diagnostics", "<!-- Made by `npm run docs` from src/core/diagnostic.ts and scripts/reference/diagnostics.json. -->", "`layer.diagnostics`, `history.diagnostics` and `diagnosticsOf(table)` list these codes. A diagnostic has a `code`, a `severity`, a `message`, often a `count`, and `facts` for programs.", ...sections].join("\n\n")}\n`;
}
