/**
 * A JSON value as text in which the order of object keys makes no difference, so that equal values have equal texts
 * and a number differs from its text. A number beyond a double's range, which JSON.parse reads as infinite, stays one.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join()}}`;
  }
  if (value === Number.POSITIVE_INFINITY) return BEYOND_DOUBLE;
  if (value === Number.NEGATIVE_INFINITY) return `-${BEYOND_DOUBLE}`;
  return JSON.stringify(value) ?? "null";
}

/** JSON has no infinite numbers; this one is read as such. */
const BEYOND_DOUBLE = "1e999";

/** Whether two JSON values are equal: arrays and objects by content, a number never equal to its text. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return isComposite(a) && isComposite(b) && canonicalJson(a) === canonicalJson(b);
}

/** Order of texts by code unit: the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
