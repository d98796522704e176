/**
 * Returns the value of a record's member; undefined if it is missing. Every object inherits `constructor`, `toString`
 * and `__proto__`, which are not values of a record. Getters of its class are.
 */
export function memberOf(record: object, name: string): unknown {
  return hasMember(record, name) ? (Reflect.get(record, name) as unknown) : undefined;
}

/** Whether a record has a member: an own one, a getter of its class, or an enumerable one of its prototype. */
export function hasMember(record: object, name: string): boolean {
  if (Object.hasOwn(record, name)) return true;
  if (name === "__proto__" || !(name in record)) return false;
  for (let holder = Object.getPrototypeOf(record); holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (descriptor) return descriptor.get !== undefined || descriptor.enumerable === true;
  }
  // Only a proxy can have a member that neither it nor its prototypes describe.
  return true;
}
