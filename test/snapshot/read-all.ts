import { endpointOf } from "../../src/api/endpoints.js";
import type { ParsedQuery } from "../../src/api/parse-query.js";
import type { ResourceName } from "../../src/api/resources.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";

/** The JSON text that a snapshot's store sends for the rows of a resource, by id. */
export async function readAll(path: string, resource: ResourceName, filters: ParsedQuery["filters"]): Promise<string> {
  const store = await openStore(path);
  try {
    const query = { filters, page: 1, pageSize: 10_000, sort: [{ field: "id", descending: false }] };
    const { data } = await store.page(endpointOf(resource), query, { siteIds: undefined });
    return Buffer.from(data).toString();
  } finally {
    await store.close();
  }
}
