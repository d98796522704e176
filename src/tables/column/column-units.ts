/** By the column itself, which Arquero's verbs hand on as long as its values stay what they are. */
const units = new WeakMap<object, string>();

/** Says the unit of a column's numbers, which every table that has the column then shows in its head. */
export function setUnit(column: unknown, unit: string | null | undefined): void {
  if (typeof column === "object" && column !== null && unit !== null && unit !== undefined) units.set(column, unit);
}

/** The unit of a column's numbers, if anybody said one. */
export function unitOf(column: unknown): string | undefined {
  return typeof column === "object" && column !== null ? units.get(column) : undefined;
}
