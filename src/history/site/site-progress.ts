import { givenBy } from "../../core/forgotten-await.js";
import type {
  Components,
  SiteComponentsOptions,
  SiteOfLayers,
  SiteProgress,
  SiteProgressOptions,
} from "./report-site.js";

/**
 * Returns the progress of a site: `history.progress()` of each component in one table, with `component` in front.
 * `totals` adds up components whose weights have the same unit (money, hours). Features are never added up across
 * components, and neither are weights without a unit.
 *
 * @param data histories by component name, `{ Piles: await site.history("SOLAR_PILES"), … }`, or a site whose histories
 * are read: the layers in `components`, or all that hold components. Tickets, anomalies, deviations and annotations are
 * not components. Layers without a column of stages are left out and listed in `diagnostics`
 * @param options each for all components, or as an object by component:
 * `{ weight: { Trenches: "Length", Panels: "Power" } }`. Components missing from such an object do not have the option
 * @example
 * ```ts
 * const stages = ["PLANNED", "EXCAVATED", "CABLE_LAID", "BACKFILLED"];
 * const report = await progress({ Trenches: trenchHistory }, { stages, plan: "Planned finish", at: "2024-03-31" });
 * report.select("component", "contracted", "percent", "spi", "sv_days")
 * ```
 * @throws ArgumentError for a value that is not a history, for layers that the site does not have, for unknown
 * component names, and as `history.progress()`
 */
export function progress(data: Components, options: SiteProgressOptions): Promise<SiteProgress>;
export function progress(
  data: SiteOfLayers,
  options: SiteProgressOptions & SiteComponentsOptions,
): Promise<SiteProgress>;
export function progress(
  data: Components | SiteOfLayers,
  options: SiteProgressOptions & SiteComponentsOptions,
): Promise<SiteProgress> {
  return givenBy("progress()", report(data, options));
}

async function report(
  data: Components | SiteOfLayers,
  options: SiteProgressOptions & SiteComponentsOptions,
): Promise<SiteProgress> {
  const { reportSite } = await import("./report-site.js");
  return reportSite(data, options);
}
