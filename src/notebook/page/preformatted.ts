/** Letters of a line that a phone shows without scrolling. */
const narrow = 40;

/**
 * Text as it is written, in which lines may be longer than the page is wide: then it scrolls, with the keyboard, too.
 *
 * @param html of the text: what is markup in it has no line breaks
 */
export function preformatted(html: string, attributes = ""): string {
  const letters = html.replace(/<[^>]*>/g, "").replace(/&[^;\s]+;/g, "&");
  const scrolls = letters.split("\n").some((line) => line.length > narrow);
  return `<pre${attributes}${scrolls ? ' tabindex="0"' : ""}>${html}</pre>`;
}
