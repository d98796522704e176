import { givenBy } from "../core/forgotten-await.js";
import type { InspectionOptions } from "./anomaly-cases.js";
import type { Inspection } from "./inspect-captures.js";
import type { Layer } from "./layer.js";

/**
 * Returns the anomalies of thermal captures in modules, power, energy and money, and the change since the previous capture.
 *
 * The affected power of an anomaly is its modules × the rated power × the factor of its class. Omitted values and classes
 * without a value are unknown, never 0 or 1. Such anomalies are counted in `without_power`, and sums omit them; a sum
 * without any known value is null. The given values are in the provenance (`assumptions`).
 *
 * @param layers the anomalies of each capture, in chronological order
 * @param options `classColumn` is required; with two layers or more, `maxMeters` is the maximum distance of a match
 * @returns the columns of `by`, then `anomalies` and `modules` (affected), `affected_kw`, `affected_percent` (of the peak
 * power), `kwh_per_year` (× yield), `money_per_year` (× tariff), `without_modules` and `without_power` (anomalies with
 * unknown modules or power), `marked_fixed` (status says that they were fixed since; null without a status), `new`,
 * `persistent`, `returned`, `fixed` and `not_surveyed` (as in `compareCaptures()`; the last is null without a survey area),
 * `anomalies_per_mwp`, `anomalies_per_1000_modules` and `modules_per_1000_modules` (of the inspected modules)
 * @throws ArgumentError for an unknown column, a number out of range, and as in `compareCaptures()`
 * @example
 * const found = await inspection([before, after], { classColumn: "Class", maxMeters: 1, by: "class" });
 * found.select("class", "anomalies", "new", "persistent", "fixed")
 */
export function inspection(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  return givenBy("inspection()", inspect(layers, options));
}

async function inspect(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  const { inspectCaptures } = await import("./inspect-captures.js");
  return inspectCaptures(layers, options);
}
