/** An integer that a number may round, as a cell between brackets or commas. */
const large = /(?<=[[,:]\s*)-?(?:\d{17,}|9\d{15})(?=\s*[\],}])/;
const textsAndLarge = new RegExp(`"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|${large.source}`, "gs");
const MARK = "siteframe:integer";

/**
 * JSON with every integer exact: as bigint where a number would round it.
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!large.test(text)) return JSON.parse(text);
  const marked = text.replace(textsAndLarge, (part) => (part.startsWith('"') ? part : `{"${MARK}":"${part}"}`));
  return JSON.parse(marked, (_, value: unknown) => (isMarked(value) ? exact(BigInt(value[MARK])) : value));
}

function isMarked(value: unknown): value is { readonly [MARK]: string } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, MARK);
}

function exact(integer: bigint): number | bigint {
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}
