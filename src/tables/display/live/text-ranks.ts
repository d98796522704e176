const collator = new Intl.Collator("en", { numeric: true });

/**
 * The place of each text among all different ones, as people sort them; NaN where there is none.
 *
 * @param areWhole whether the texts are whole numbers, which go by their size
 */
export function textRanks(texts: readonly (string | undefined)[], areWhole: boolean): Float64Array {
  const different = [...new Set(texts)].filter((text) => text !== undefined);
  const compare = areWhole ? (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : 1) : collator.compare;
  const places = new Map(different.sort(compare).map((text, place) => [text, place]));
  return Float64Array.from(texts, (text) => (text === undefined ? Number.NaN : (places.get(text) ?? Number.NaN)));
}
