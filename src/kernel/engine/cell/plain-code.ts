/** Half of a surrogate pair that stands alone. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Code as other programs and editors have it, equally long: in UTF-8 there are no halves of surrogate pairs, and a
 * carriage return alone ends a line, as it does in JavaScript.
 */
export function plainCode(code: string): string {
  return code.replace(halves, "\ufffd").replace(/\r(?!\n)/g, "\n");
}
