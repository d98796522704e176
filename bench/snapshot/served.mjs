import { existsSync } from "node:fs";
import { pull, Source } from "../../modules/index.js";
import { startService } from "../../modules/service/start-service.js";
import { openStore } from "../../modules/snapshot/serve/open-store.js";
import { writeSnapshot } from "../../modules/snapshot/write/write-snapshot.js";
import { datasets, definitions, makePages } from "../load/pages.mjs";
import { dataPath } from "../share.mjs";
import { madeCompany } from "./made-company.mjs";

/** Serves a snapshot on loopback. */
export async function serve(folder) {
  const store = await openStore(folder);
  const service = await startService({ store, apiKeys: [{ key: "k" }] });
  const close = async () => {
    await service.close();
    await store.close();
  };
  return { url: service.url, close };
}

/** The folder of a snapshot of made-up features; written if absent. */
export async function servedLayer(features) {
  const folder = dataPath(`layer-${features}.snapshot`);
  if (isWritten(folder)) return folder;
  const layerFeatures = function* () {
    for (const page of makePages("uniform", features)) yield* JSON.parse(String(page)).data;
  };
  await writeSnapshot(folder, { datasets, propertyDefinitions: definitions, layerFeatures: layerFeatures() });
  return folder;
}

/** Two folders, written if absent: a company with a log, and the same company after 1 % of new changes. */
export async function servedCompany(features, changesOfFeature) {
  return await Promise.all(
    [0, 0.01].map(async (edited) => {
      const folder = dataPath(`pull-${features}-${edited}.snapshot`);
      const company = madeCompany(features, changesOfFeature, edited);
      if (!isWritten(folder)) await pull(new Source(company.reader), folder);
      return { folder, changes: company.changes };
    }),
  );
}

function isWritten(folder) {
  return existsSync(`${folder}/manifest.json`);
}
