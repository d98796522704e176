/**
 * Characters that control a terminal or are invisible: control characters except tabs and line ends, Unicode's line
 * separators, and marks that change the direction of text.
 */
const UNPRINTABLE = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns text for terminals, logs and messages. Unprintable characters are escaped as in JSON: `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}
