import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Service, type ServiceOptions, startService } from "../../src/service/start-service.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { company } from "./company.js";
import { type Company, MemoryStore } from "./memory-store.js";

/** Serves the small company from memory. The key `all` sees everything, `park` the solar park, `nothing` no site. */
export function startTestService(options: Partial<ServiceOptions> = {}): Promise<Service> {
  return startService({
    store: new MemoryStore(company),
    apiKeys: [{ key: "all" }, { key: "park", siteIds: [12] }, { key: "nothing", siteIds: [] }],
    ...options,
  });
}

/** Opens a company as a stored snapshot, in a folder that is removed when the store is closed. */
export async function openSnapshotOf(records: Company): Promise<SnapshotStore> {
  const folder = await mkdtemp(join(tmpdir(), "siteframe-service-"));
  const path = join(folder, "test.snapshot");
  await writeSnapshot(path, records);
  const store = await openStore(path);
  return {
    version: store.version,
    page: (endpoint, query, access) => store.page(endpoint, query, access),
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
