/** A short name for what a column holds: `number`, `date`, `list`, …; `mixed` where the values disagree. */
export function columnType(values: Iterable<unknown>): string {
  let found = "null";
  for (const value of values) {
    const type = valueType(value);
    if (type === "null" || type === found) continue;
    if (found !== "null") return "mixed";
    found = type;
  }
  return found;
}

function valueType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return "date";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "list";
  return typeof value;
}
