import { canonicalJson } from "../../core/json/json.js";

/** Values by code, in order of first appearance. Equal JSON values are one entry; a number differs from its text. */
export class ValueDictionary {
  readonly values: unknown[] = [];
  readonly #scalars = new Map<unknown, number>();
  readonly #composites = new Map<string, number>();

  constructor(values: Iterable<unknown> = []) {
    for (const value of values) this.code(value);
  }

  code(value: unknown): number {
    return isComposite(value)
      ? this.#enter(this.#composites, compositeKey(value), value)
      : this.#enter(this.#scalars, value ?? null, value ?? null);
  }

  #enter<K>(codes: Map<K, number>, key: K, value: unknown): number {
    const known = codes.get(key);
    if (known !== undefined) return known;
    const code = this.values.push(value) - 1;
    codes.set(key, code);
    return code;
  }
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Base fields hold dates too, which JSON would confuse with their texts. */
function compositeKey(value: object): string {
  return value instanceof Date ? `date ${value.getTime()}` : canonicalJson(value);
}
