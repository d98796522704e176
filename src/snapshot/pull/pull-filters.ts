import type { Resource, SiteRule } from "../../api/form/resource.js";
import type { ResolvedFilters } from "../../api/params.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { siteRule } from "../../api/site-rule.js";

/**
 * What a pull asks a resource for, as the contract says how its records belong to sites.
 *
 * @param scope the sites that the pull is limited to; null for all
 * @param idsOf reads the ids of a resource that was pulled before
 */
export async function pullFilters(
  resource: ResourceName,
  scope: readonly number[] | null,
  idsOf: (resource: ResourceName) => Promise<readonly number[]>,
): Promise<ResolvedFilters> {
  const site = siteRule(resource);
  const { endpoint }: Resource = resources[resource];
  const isLimited = scope !== null && !isShared(site);
  if (!site.of) return new Map(isLimited ? [[site.by, scope]] : []);
  const isNeeded = isLimited || endpoint.filters[site.by]?.required;
  return new Map(isNeeded ? [[site.by, await idsOf(site.of)]] : []);
}

/** Whether all records are kept, whatever the sites: their own, or those of what they belong to. */
function isShared({ of, shared = false }: SiteRule<ResourceName>): boolean {
  return of ? isShared(siteRule(of)) : shared;
}
