import { join } from "node:path";
import type { Dataset, LayerFeature, Operation, PropertyChange, PropertyDefinition, Site } from "../../src/index.js";
import { startService } from "../../src/service/start-service.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { type SnapshotTables, writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";

/** Records that a test edits between two pulls. */
export interface Company {
  readonly sites: Site[];
  readonly operations?: readonly Operation[];
  readonly datasets: Dataset[];
  readonly propertyDefinitions: PropertyDefinition[];
  layerFeatures: LayerFeature[];
  propertyChanges: PropertyChange[];
}

/** A service at one address whose records change. The key `k` sees everything, `one` sees site 1 only. */
export interface MovingService {
  readonly url: string;
  show(company: SnapshotTables): Promise<void>;
  close(): Promise<void>;
}

export async function movingService(folder: string, company: SnapshotTables): Promise<MovingService> {
  let count = 0;
  const write = async (records: SnapshotTables): Promise<SnapshotStore> => {
    const path = join(folder, `state-${++count}`);
    await writeSnapshot(path, records);
    return openStore(path);
  };
  let store = await write(company);
  const opened = [store];
  const service = await startService({
    store: {
      get version() {
        return store.version;
      },
      page: (...args) => store.page(...args),
    },
    apiKeys: [{ key: "k" }, { key: "one", siteIds: [1] }],
  });
  return {
    url: service.url,
    async show(records) {
      store = await write(records);
      opened.push(store);
    },
    async close() {
      await service.close();
      for (const each of opened) await each.close();
    },
  };
}

export const site = (id: number): Site => ({
  id,
  company_id: 3,
  name: `Site ${id}`,
  type: "SOLAR",
  stage: "OPERATION",
  coordinates: null,
  geo_area: 0,
  peak_power: null,
  ac_power: null,
  address_line1: null,
  address_line2: null,
  address_line3: null,
});
