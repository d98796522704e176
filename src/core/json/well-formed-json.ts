/** An escape of JSON; the group is half of a surrogate pair, which `JSON.stringify` escapes only where it stands alone. */
const escapes = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** Kept as they are: this runs beside code of others. */
const { stringify } = JSON;
const { getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;
const top = Object.prototype;

/** A value as JSON, whatever code of others has made of `JSON`, and of what all objects inherit. */
export function ownJson(value: unknown): string {
  const added = getOwnPropertyDescriptor(top, "toJSON");
  if (!added) return stringify(value);
  deleteProperty(top, "toJSON");
  try {
    return stringify(value);
  } finally {
    defineProperty(top, "toJSON", added);
  }
}

/**
 * A value as JSON that can be written as UTF-8: JavaScript's texts may hold half of a surrogate pair, which no other
 * language takes, in values as well as in keys. It becomes U+FFFD, the replacement character.
 *
 * @throws TypeError for what is no JSON: a value that holds itself, a BigInt
 */
export function wellFormedJson(value: unknown): string {
  const json = ownJson(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(escapes, (whole, half: string | undefined) => (half === undefined ? whole : "\ufffd"));
}
