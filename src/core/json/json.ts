/**
 * A JSON value as text in which the order of object keys makes no difference, so that equal values have equal texts
 * and a number differs from its text. `JSON.parse` gives the value back: also the infinity that a number like `1e400`
 * is read as, which `JSON.stringify` takes for null.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join()}}`;
  }
  if (value === Infinity || value === -Infinity) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value) ?? "null";
}

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
