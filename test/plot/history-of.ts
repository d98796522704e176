import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import { fromRecords, type History } from "../../src/index.js";

/** The history of these features, whose records were read at this time. */
export function historyOf(
  layerFeatures: readonly LayerFeature[],
  propertyChanges: readonly PropertyChange[],
  readAt: string,
): Promise<History> {
  const records = { datasets: [], layerFeatures, propertyChanges };
  return fromRecords(records, { readAt: new Date(readAt) }).history({ site_id: 12 });
}
