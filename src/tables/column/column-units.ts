/** By column object, which Arquero's verbs pass on unless its values change. */
const units = new WeakMap<object, string>();

/** Sets the unit of a column's numbers. Every table with the column then shows it in its head. */
export function setUnit(column: unknown, unit: string | null | undefined): void {
  if (typeof column === "object" && column !== null && unit !== null && unit !== undefined) units.set(column, unit);
}

/** The unit of a column's numbers, if set. */
export function unitOf(column: unknown): string | undefined {
  return typeof column === "object" && column !== null ? units.get(column) : undefined;
}
