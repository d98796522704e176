import type { ServiceOptions } from "../../src/service/service-options.js";
import { type Service, startService } from "../../src/service/start-service.js";
import { company } from "./company.js";
import { MemoryStore } from "./memory-store.js";

/** Serves the small company. The key `all` sees everything, `park` the solar park, `nothing` no site. */
export function startTestService(options: Partial<ServiceOptions> = {}): Promise<Service> {
  return startService({
    store: new MemoryStore(company),
    apiKeys: [{ key: "all" }, { key: "park", siteIds: [12] }, { key: "nothing", siteIds: [] }],
    ...options,
  });
}
