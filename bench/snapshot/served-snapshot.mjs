import { existsSync } from "node:fs";

/**
 * A snapshot of made-up features in `out`, which later runs use again, and a service on loopback that serves the same folder.
 *
 * @returns the places to read from, and the call that stops the service
 */
export async function servedSnapshot(features) {
  const { openStore } = await import("../../modules/snapshot/serve/open-store.js");
  const { startService } = await import("../../modules/service/start-service.js");
  const { MANIFEST_VERSION } = await import("../../modules/snapshot/format/manifest.js");
  const folder = `out/bench-layer-${features}-v${MANIFEST_VERSION}.snapshot`;
  if (!existsSync(`${folder}/manifest.json`)) await write(folder, features);
  const store = await openStore(folder);
  const service = await startService({ store, apiKeys: [{ key: "k" }] });
  const close = async () => {
    await service.close();
    await store.close();
  };
  return { places: { snapshot: folder, service: service.url }, close };
}

async function write(folder, features) {
  const { datasets, definitions, makePages } = await import("../load/pages.mjs");
  const { writeSnapshot } = await import("../../modules/snapshot/write/write-snapshot.js");
  const layerFeatures = function* () {
    for (const page of makePages("uniform", features)) yield* JSON.parse(String(page)).data;
  };
  await writeSnapshot(folder, { datasets, propertyDefinitions: definitions, layerFeatures: layerFeatures() });
}
