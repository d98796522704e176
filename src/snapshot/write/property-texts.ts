import { canonicalJson } from "../../core/json/json.js";
import { canonicalKey } from "../../layer/property-key.js";

const HALF_PAIR = /\p{Surrogate}/gu;

/**
 * The present values of a feature by key, both canonical, as the JSON text of an object of texts. Values that are null
 * are left out; of two spellings of one key the first that has a value counts.
 */
export function propertyTexts(properties: object): string {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(properties)) {
    if (value === null) continue;
    const stored = storedKey(key);
    if (!texts.has(stored)) texts.set(stored, canonicalJson(value));
  }
  return `{${Array.from(texts, ([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`).join()}}`;
}

/** A property's key as the column of values has it: half of a surrogate pair, which has no UTF-8, becomes U+FFFD. */
export function storedKey(key: string): string {
  return canonicalKey(key).replace(HALF_PAIR, "\ufffd");
}
