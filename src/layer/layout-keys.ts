import type { LayoutProperty } from "../api/form/field.js";
import type { Dataset } from "../api/resources.js";

/**
 * The property keys that datasets lay out, in display order: datasets by id, sections flattened, the first place of
 * a key counts. Specification: Dataset, layout_definition.
 */
export function layoutKeys(datasets: readonly Dataset[]): readonly string[] {
  const keys = new Set<string>();
  for (const dataset of [...datasets].sort((a, b) => a.id - b.id)) {
    for (const property of layoutProperties(dataset)) keys.add(property.property_definition_id);
  }
  return [...keys];
}

function* layoutProperties(dataset: Dataset): Iterable<LayoutProperty> {
  for (const entry of dataset.layout_definition?.items ?? []) {
    if (entry.type === "PROPERTY") yield entry;
    else yield* entry.items;
  }
}
