import type { PropertyDefinition } from "../../../api/resources.js";
import { HOUR, instantText } from "../base/instant.js";
import * as components from "./component-definitions.js";
import { datasetPlans } from "./dataset-plans.js";
import type { Definition } from "./definition.js";
import { anomaly, bladeDamage, deviation } from "./finding-definitions.js";
import { capturesOf, products } from "./operations.js";
import type { SampleDataset } from "./sample-dataset.js";

const byKey: ReadonlyMap<string, SampleDataset> = new Map(
  datasetPlans.map((plan, index) => {
    const id = 5001 + index;
    const { site_id, operation_id, name, type, semantic_type, status, layout } = plan;
    return [
      plan.key,
      {
        id,
        identifier: `ds-${id}`,
        site_id,
        operation_id,
        name,
        status,
        semantic_type,
        layout_definition: layout,
        type,
        created_at: instantText(plan.createdAt),
        updated_at: instantText(plan.createdAt + 2 * HOUR),
      },
    ];
  }),
);

/** The datasets by id. */
export const datasets: readonly SampleDataset[] = [...byKey.values()];

/** The dataset that the sample's own code calls by this key. */
export function datasetOf(key: string): SampleDataset {
  const dataset = byKey.get(key);
  if (dataset === undefined) throw new RangeError(`the sample company has no dataset ${key}`);
  return dataset;
}

const groups: readonly Readonly<Record<string, Definition>>[] = [
  components.component,
  components.model,
  components.panel,
  components.trench,
  components.fence,
  components.solarRoad,
  components.turbine,
  components.roadSection,
  components.ticket,
  components.annotation,
  anomaly,
  deviation,
  ...capturesOf(products.windBlades).map(({ date }) => bladeDamage(`blade-damages/${date}`)),
];

/** The property definitions, by id. */
export const propertyDefinitions: readonly PropertyDefinition[] = groups
  .flatMap((group) => Object.values(group).map((definition, rank) => propertyDefinition(definition, rank)))
  .sort((a, b) => (a.id < b.id ? -1 : 1));

function propertyDefinition(definition: Definition, rank: number): PropertyDefinition {
  const dataset = datasetOf(definition.dataset);
  const place = laidOut(dataset).indexOf(definition.id);
  return {
    id: definition.id,
    dataset_id: dataset.id,
    name: definition.name,
    description: definition.description,
    display_order: place === -1 ? laidOut(dataset).length + rank : place,
    type: definition.type,
    config: definition.config,
  };
}

function laidOut(dataset: SampleDataset): readonly string[] {
  const entries = dataset.layout_definition?.items ?? [];
  return entries
    .flatMap((entry) => (entry.type === "SECTION" ? entry.items : [entry]))
    .map((item) => item.property_definition_id);
}
