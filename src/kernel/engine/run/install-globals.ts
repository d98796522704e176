/** Defines global variables, which code may replace. Returns a function that reverts it. */
export function installGlobals(values: Readonly<Record<string, unknown>>): () => void {
  const restores = Object.entries(Object.getOwnPropertyDescriptors(values)).map(installGlobal);
  return () => {
    for (const restore of restores) restore();
  };
}

function installGlobal([name, { get, value }]: readonly [string, PropertyDescriptor]): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  const plain = (given: unknown) => ({ value: given, configurable: true, writable: true });
  const set = (given: unknown) => void Object.defineProperty(globalThis, name, plain(given));
  Object.defineProperty(globalThis, name, get ? { get, set, configurable: true } : plain(value));
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  };
}
