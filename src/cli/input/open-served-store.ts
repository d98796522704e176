import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SampleOptions, sampleCompany } from "../../../sample/sample-company.js";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { openNewestStore, type StoreMove } from "../../snapshot/serve/open-newest-store.js";
import { openStore } from "../../snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../snapshot/serve/snapshot-store.js";
import { writeSnapshot } from "../../snapshot/write/write-snapshot.js";

/** A store to serve, with a function that removes temporary files. */
export interface ServedStore {
  readonly store: SnapshotStore;
  close(): Promise<void>;
}

/**
 * Opens a snapshot folder, or writes the sample company to a temporary one and opens that.
 *
 * @param onMove is called when the served generation was removed and another one is served
 */
export async function openServedStore(
  snapshot: string | undefined,
  sample: SampleOptions,
  onMove: (move: StoreMove) => void = () => {},
): Promise<ServedStore> {
  if (snapshot !== undefined) {
    const store = await openNewestStore(snapshot, onMove);
    return { store, close: () => store.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), "siteframe-"));
  const path = join(folder, "sample.snapshot");
  const removeFolder = () => rm(folder, REMOVE_FOLDER);
  try {
    await writeSample(path, sample);
    const store = await openStore(path);
    return { store, close: () => store.close().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function writeSample(path: string, options: SampleOptions): Promise<void> {
  const company = sampleCompany(options);
  await writeSnapshot(path, {
    sites: company.sites,
    operations: company.operations,
    blocks: company.blocks,
    datasets: company.datasets,
    layerFeatures: company.layerFeatures(),
    propertyDefinitions: company.propertyDefinitions,
    propertyChanges: company.propertyChanges(),
  });
}
