/**
 * Text for a terminal, which obeys control characters: all but line ends and tabs are written as `\u001b`, as JSON has them.
 */
export function terminalText(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
