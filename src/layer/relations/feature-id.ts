/**
 * The id of a feature that a relation holds; NaN where it is none. The specification does not show how relations hold ids:
 * integers, or texts of them.
 */
export function featureId(value: unknown): number {
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return typeof value === "number" ? value : Number.NaN;
}
