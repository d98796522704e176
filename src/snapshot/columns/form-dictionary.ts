import { jsonText } from "../json/json-text.js";

/** The JSON texts of values by code, in order of first appearance: values that are written alike have one code. */
export class FormDictionary {
  readonly texts: string[] = [];
  readonly #scalars = new Map<unknown, number>();
  readonly #others = new Map<string, number>();

  code(value: unknown): number {
    // A map takes -0 for 0.
    const isOther = value === 0 || (typeof value === "object" && value !== null);
    return isOther ? this.#enter(this.#others, jsonText(value), value) : this.#enter(this.#scalars, value, value);
  }

  #enter<K>(codes: Map<K, number>, key: K, value: unknown): number {
    const known = codes.get(key);
    if (known !== undefined) return known;
    const code = this.texts.push(jsonText(value)) - 1;
    codes.set(key, code);
    return code;
  }
}
