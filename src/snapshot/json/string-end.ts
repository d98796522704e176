const BACKSLASH = 92;

/**
 * Where a JSON string ends: the place of its closing quote.
 *
 * @param start place of its opening quote
 * @throws SyntaxError if there is none
 */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  throw new SyntaxError("the JSON ends within a text");
}
