/**
 * A value with every text in it cleaned: of plain objects and arrays a copy where something changes, of an error the
 * error itself, with its message, its stack, its facts and its causes.
 */
export function withoutKey<T>(value: T, scrub: (text: string) => string): T {
  return cleaned(value, scrub, new Set()) as T;
}

function cleaned(value: unknown, scrub: (text: string) => string, seen: Set<object>): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  if (value instanceof Error) return cleanedError(value, scrub, seen.add(value));
  if (Array.isArray(value)) {
    seen.add(value);
    const items = value.map((item) => cleaned(item, scrub, seen));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlain(value)) return value;
  seen.add(value);
  const members = Object.entries(value).map(([name, item]) => [scrub(name), cleaned(item, scrub, seen), name, item]);
  if (members.every(([newName, newItem, name, item]) => newName === name && newItem === item)) return value;
  return Object.fromEntries(members.map(([newName, newItem]) => [newName, newItem]));
}

/** Whoever threw it may look for this very error, so it stays the same object. */
function cleanedError(error: Error, scrub: (text: string) => string, seen: Set<object>): Error {
  for (const name of Reflect.ownKeys(error)) {
    const value: unknown = Reflect.get(error, name);
    const clean = cleaned(value, scrub, seen);
    if (clean === value) continue;
    const enumerable = Object.getOwnPropertyDescriptor(error, name)?.enumerable ?? false;
    Reflect.defineProperty(error, name, { value: clean, enumerable, writable: true, configurable: true });
  }
  return error;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
