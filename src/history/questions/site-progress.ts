import { givenBy } from "../../core/forgotten-await.js";
import type { SiteProgress, SiteProgressOptions } from "./report-site.js";
import type { Components, SiteComponentsOptions, SiteOfLayers } from "./site-components.js";

/**
 * How far the work of a site is: `history.progress()` of each component in one table, with `component` in front. Components
 * whose weights have one unit (money, hours) are added up in `totals`; features never are, nor weights of which nobody says it.
 *
 * @param data histories by the names of their components, `{ Piles: await site.history("SOLAR_PILES"), … }`, or a site whose
 * histories are read: the layers that `components` names, or all that hold components of it. Tickets, anomalies, deviations
 * and annotations are none; what has no column of stages is left out, and `findings` say so
 * @param options each for all components, or an object of one for each: `{ weight: { Trenches: "Length", Panels: "Power" } }`.
 * A component that such an object leaves out has none
 * @throws ArgumentError for what is no history, for layers that the site does not have, for names that no component has,
 * and as `history.progress()`
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
