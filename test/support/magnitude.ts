import type { History } from "../../src/index.js";

/** What all numbers come to that a column ever held, without their signs: what the last digits of a sum are judged by. */
export function magnitude(history: History, column: string): number {
  if (!history.columns.includes(column)) return 0;
  const values = [...history.intervals(column).array("value")];
  return values.reduce<number>((sum, value) => sum + (typeof value === "number" ? Math.abs(value) : 0), 0);
}
