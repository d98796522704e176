import { sampleCompany } from "../../sample/sample-company.js";
import type { LayerFeature, PropertyChange, ResourceName } from "../../src/api/resources.js";

/** The default company with all of its records in memory, made once for each test file. */
export const company = sampleCompany();
export const features: readonly LayerFeature[] = [...company.layerFeatures()];
export const changes: readonly PropertyChange[] = [...company.propertyChanges()];

/** All records by resource. */
export const records = {
  sites: company.sites,
  operations: company.operations,
  blocks: company.blocks,
  datasets: company.datasets,
  propertyDefinitions: company.propertyDefinitions,
  layerFeatures: features,
  propertyChanges: changes,
} satisfies Readonly<Record<ResourceName, readonly object[]>>;

export const featureById = new Map(features.map((feature) => [feature.id, feature]));
export const changeById = new Map(changes.map((change) => [change.id, change]));

/** The changes of each feature and property, in valid order. */
export const logs: ReadonlyMap<string, readonly PropertyChange[]> = logsOf(changes);

export function logKey(featureId: number, propertyKey: string): string {
  return `${featureId} ${propertyKey}`;
}

/** An instant as text that sorts: with all six digits of the microseconds. */
export function sortable(timestamp: string): string {
  return timestamp.slice(0, -1).padEnd(26, "0");
}

/** The time of insertion of a change in milliseconds, from its UUIDv7. */
export function insertedAt(change: PropertyChange): number {
  return Number.parseInt(change.id.replaceAll("-", "").slice(0, 12), 16);
}

/** The definition id of a property, by the names of its dataset and itself. */
export function keyOf(datasetName: string, name: string): string {
  const dataset = company.datasets.find((candidate) => candidate.name === datasetName);
  const definition = company.propertyDefinitions.find(
    (candidate) => candidate.dataset_id === dataset?.id && candidate.name === name,
  );
  if (definition === undefined) throw new RangeError(`no property ${name} in ${datasetName}`);
  return definition.id;
}

function logsOf(all: readonly PropertyChange[]): ReadonlyMap<string, readonly PropertyChange[]> {
  const byKey = new Map<string, PropertyChange[]>();
  for (const change of all) {
    const key = logKey(change.layer_feature_id, change.property_key);
    const log = byKey.get(key);
    if (log === undefined) byKey.set(key, [change]);
    else log.push(change);
  }
  const order = (change: PropertyChange): string => `${sortable(change.created_at)} ${change.id}`;
  for (const log of byKey.values()) log.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return byKey;
}
