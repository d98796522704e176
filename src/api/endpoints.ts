import type { EndpointRule } from "./contract.js";
import { type ResourceName, resources } from "./resources.js";

/** One endpoint, with what it returns. */
export interface Endpoint extends EndpointRule {
  readonly resource: ResourceName;
}

const names = Object.keys(resources) as ResourceName[];

/** The endpoint of each resource. Specification: Endpoints, Limits. */
export const endpoints = Object.fromEntries(
  names.map((resource): [ResourceName, Endpoint] => [resource, { resource, ...resources[resource].endpoint }]),
) as { readonly [R in ResourceName]: Endpoint };

/** The endpoint of a resource, as plain data. */
export function endpointOf(resource: ResourceName): Endpoint {
  return endpoints[resource];
}

/** Returns the fields that an endpoint sorts by, for messages. */
export function sortableNames(fields: readonly string[], properties = false): string {
  return [...fields, ...(properties ? ["properties.<key>"] : [])].join(", ");
}
