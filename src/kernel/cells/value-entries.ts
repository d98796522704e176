import { isMap, isProxy, isSet, isTypedArray } from "node:util/types";

const { entries: entriesOfMap } = Map.prototype;
const { values: valuesOfSet } = Set.prototype;
/** The language's own, whatever a value has under these names. */
const sizeOfMap = getter(Map.prototype, "size");
const sizeOfSet = getter(Set.prototype, "size");
const lengthOfTyped = getter(Object.getPrototypeOf(Uint8Array.prototype), "length");

/** How many entries a value has: elements of a list, a map or a set, else properties. A proxy has none to show. */
export function sizeOf(value: object): number {
  if (isProxy(value)) return 0;
  if (isMap(value)) return sizeOfMap(value);
  if (isSet(value)) return sizeOfSet(value);
  if (isTypedArray(value)) return lengthOfTyped(value);
  if (Array.isArray(value)) return value.length;
  return Reflect.ownKeys(value).length;
}

/**
 * Entries `from` to `to` of a value, on an object without a prototype. Getters stay getters, so that none runs; methods
 * that the user has replaced are not called.
 */
export function entriesOf(value: object, from: number, to: number): object {
  const found: object = Object.create(null);
  if (isProxy(value)) return found;
  const add = (key: PropertyKey, described: PropertyDescriptor | undefined) => {
    if (described) Object.defineProperty(found, key, { ...described, enumerable: true, configurable: true });
  };
  if (isMap(value)) {
    for (const [index, [key, held]] of some(Reflect.apply(entriesOfMap, value, []), from, to)) {
      add(index, { value: { key, value: held } });
    }
  } else if (isSet(value)) {
    for (const [index, held] of some(Reflect.apply(valuesOfSet, value, []), from, to)) add(index, { value: held });
  } else if (isTypedArray(value) || Array.isArray(value)) {
    for (let index = from; index < to; index++) add(index, Object.getOwnPropertyDescriptor(value, index));
  } else {
    for (const key of Reflect.ownKeys(value).slice(from, to)) add(key, Object.getOwnPropertyDescriptor(value, key));
  }
  return found;
}

/** By `next`, since iteration by `for` asks for what a user may have replaced. */
function some<Value>(iterator: Iterator<Value>, from: number, to: number): readonly (readonly [number, Value])[] {
  const found: (readonly [number, Value])[] = [];
  for (let index = 0; index < to; index++) {
    const next = iterator.next();
    if (next.done) break;
    if (index >= from) found.push([index, next.value]);
  }
  return found;
}

function getter(prototype: object, name: string): (value: object) => number {
  const { get = () => 0 } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  return (value) => Number(Reflect.apply(get, value, []));
}
