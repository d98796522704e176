/** Defines global variables. Returns a function that reverts it. */
export function installGlobals(values: Readonly<Record<string, unknown>>): () => void {
  const restores = Object.entries(values).map(([name, value]) => installGlobal(name, value));
  return () => {
    for (const restore of restores) restore();
  };
}

function installGlobal(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  };
}
