import type { ValuePlaces } from "../../../columns/value-places.js";
import type { Dialect } from "../dialect/dialect.js";

/** Whether a step from one JSON text to another leads to an earlier value; null where one is not in the order. */
export function backward(dialect: Dialect, places: ValuePlaces, from: string, to: string): string {
  const cases = Array.from(places.entries, ([json, place]) => `WHEN ${dialect.text(json)} THEN ${place}`).join(" ");
  const placeOf = (value: string) => (cases === "" ? "CAST(NULL AS INTEGER)" : `CASE ${value} ${cases} END`);
  return `${placeOf(to)} < ${placeOf(from)}`;
}
