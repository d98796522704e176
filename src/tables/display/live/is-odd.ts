/** Values that are neither there nor null: `undefined`, `NaN`, what is infinite, dates that are none. */
export function isOdd(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value === "number") return !Number.isFinite(value);
  return value instanceof Date && Number.isNaN(value.getTime());
}
