import { givenBy } from "../core/forgotten-await.js";
import type { InspectionOptions } from "./anomaly-cases.js";
import type { Inspection } from "./inspect-captures.js";
import type { Layer } from "./layer.js";

/**
 * What thermal captures found, in modules, power, energy and money, and how it changed since the capture before.
 *
 * The affected power of an anomaly is its modules × the rated power × the factor of its class. What is not given, and what
 * a class does not have, is not known: never 0 or 1. Such anomalies are counted (`without_power`), and sums are without them;
 * a sum of which nothing is known is null. What was given stands in the provenance (`assumptions`).
 *
 * @param layers the anomalies of each capture, in the order of time
 * @param options `classes` says what the anomalies are; of two layers or more `maxDistance` how they are matched
 * @returns the columns of `by`, then `anomalies` and `modules` (affected), `affected_kw`, `affected_percent` (of the peak
 * power), `kwh_per_year` (× yield), `money_per_year` (× tariff), `without_modules` and `without_power` (anomalies of which
 * that is not known), `marked_fixed` (whose status says that they were fixed since; null without a status), `new`,
 * `persistent`, `returned`, `fixed` and `not_surveyed` (as of `compareCaptures()`; the last null without a coverage),
 * `anomalies_per_mwp`, `anomalies_per_1000_modules` and `modules_per_1000_modules` (of those inspected)
 * @throws ArgumentError for a column that no layer has, a number that cannot be, and as of `compareCaptures()`
 */
export function inspection(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  return givenBy("inspection()", inspect(layers, options));
}

async function inspect(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  const { inspectCaptures } = await import("./inspect-captures.js");
  return inspectCaptures(layers, options);
}
