/**
 * A JSON value as text in which the order of object keys makes no difference, so that equal values have equal texts
 * and a number differs from its text. `JSON.parse` gives the value back: also the infinity that a number like `1e400`
 * is read as, which `JSON.stringify` takes for null.
 */
export function canonicalJson(value: unknown): string {
  try {
    return canonicalText(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJson(value, canonicalText, byName);
  }
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = byName(Object.entries(value));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join()}}`;
  }
  if (value === Infinity || value === -Infinity) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value) ?? "null";
}

function byName(members: Member[]): Member[] {
  return members.sort(([a], [b]) => compareText(a, b));
}

type Member = [name: string, value: unknown];

/** Something that is to be written, or is written already. */
type Piece = { readonly value: unknown } | string;

/**
 * A JSON value as text, for values that are nested more deeply than calls can be.
 *
 * @param textOf writes what is no array and no object
 * @param order of the members of an object; as they come if absent
 */
export function deepJson(
  value: unknown,
  textOf: (value: unknown) => string,
  order: (members: Member[]) => Member[] = (members) => members,
): string {
  const pieces: string[] = [];
  const open: Piece[] = [{ value }];
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    if (typeof piece === "string") pieces.push(piece);
    else if (typeof piece.value !== "object" || piece.value === null) pieces.push(textOf(piece.value));
    else for (const part of partsOf(piece.value, order).reverse()) open.push(part);
  }
  return pieces.join("");
}

function partsOf(value: object, order: (members: Member[]) => Member[]): Piece[] {
  // As `JSON.stringify()` does it: dates and others say themselves what they are.
  if ("toJSON" in value && typeof value.toJSON === "function") return [{ value: value.toJSON("") }];
  if (Array.isArray(value)) {
    return ["[", ...value.flatMap((inner: unknown, index): Piece[] => [index === 0 ? "" : ",", { value: inner }]), "]"];
  }
  const members = order(
    Object.entries(value).filter(([, inner]) => inner !== undefined && typeof inner !== "function"),
  );
  const parts = members.flatMap(([name, inner], index): Piece[] => [
    `${index === 0 ? "" : ","}${JSON.stringify(name)}:`,
    { value: inner },
  ]);
  return ["{", ...parts, "}"];
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
