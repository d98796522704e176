/**
 * Returns a value for an error message: short, quoted, and on one line.
 *
 * @param value anything
 * @param limit maximum length, in characters
 */
export function showValue(value: unknown, limit = 80): string {
  const text = typeof value === "string" ? JSON.stringify(value) : plainText(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function plainText(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "function") return "a function";
  if (typeof value === "number") return String(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  const text = readSafely(
    () => dateText(value) ?? className(value) ?? rowsText(value) ?? JSON.stringify(value, shortened) ?? String(value),
    undefined,
  );
  return text ?? readSafely(() => Object.prototype.toString.call(value), "an object that cannot be read");
}

/** Arrays of objects are rows, and rows are data. */
function rowsText(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.some((one) => typeof one === "object" && one !== null)) return undefined;
  return `an array of ${value.length} ${value.length === 1 ? "value" : "values"}`;
}

function dateText(value: unknown): string | undefined {
  if (!(value instanceof Date)) return undefined;
  return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
}

/** The contents of an object or array that is safe to show. */
function shortened(this: object, key: string, json: unknown): unknown {
  const member: unknown = Reflect.get(this, key);
  return member instanceof Date ? json : (className(member) ?? json);
}

/** Values with a short JSON form that shows all of them. */
const hasShortJson = /^(Temporal\.|URL$)/;

/** An object that is more than its properties, whose JSON would be useless, or rows of user data. */
function className(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  if (hasShortJson.test(String(Reflect.get(value, Symbol.toStringTag)))) return undefined;
  const name = String(Reflect.get(Object(Reflect.get(value, "constructor")), "name")) || "class without a name";
  return `${/^(?:[AEIO]|U(?!int|RL))/i.test(name) ? "an" : "a"} ${name}`;
}

/** Returns the message of a thrown value. It may not be an error, and reading it may throw. */
export function reasonOf(thrown: unknown): string {
  return readSafely(() => String(thrown instanceof Error ? thrown.message : thrown), "an error that cannot be read");
}

/** Returns the result of `read`, or `otherwise` if it throws, as foreign getters and proxies may. */
export function readSafely<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
