// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes begin with the control character ESC
const escapeCode = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What a terminal would show of a text: no colour codes, and lines that were overwritten only once. */
export function terminalText(text: string): string {
  return text
    .replace(escapeCode, "")
    .replace(/\r\n/g, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "")
    .join("\n");
}
