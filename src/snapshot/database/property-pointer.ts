/** The place of a property in a record. RFC 6901: a key can hold anything, and a pointer has no wildcards. */
export function propertyPointer(key: string): string {
  return `/properties/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
