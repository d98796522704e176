import type { SiteRule } from "./form/resource.js";
import { type ResourceName, resources } from "./resources.js";

/** How the records of a resource belong to a site. */
export function siteRule(resource: ResourceName): SiteRule<ResourceName> {
  return resources[resource].site;
}
