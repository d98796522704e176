const TOKEN_OR_SPACE = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;
/** Of two tokens with space between them one is a sign. Texts hold such places, too; then all is looked through. */
const SPACE = /[[\]{},:][ \t\r\n]|[ \t\r\n][[\]{},:]|^[ \t\r\n]|[ \t\r\n]$/;

/** Valid JSON text without the white space between its tokens. Numbers and texts stay as they were written. */
export function compactJson(text: string): string {
  return SPACE.test(text) ? text.replace(TOKEN_OR_SPACE, "$1") : text;
}
