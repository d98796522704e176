import type { Dataset, PropertyDefinition } from "../../api/resources.js";
import { compareText } from "../../core/json/json.js";
import { layoutKeys } from "../../layer/layout-keys.js";

/**
 * The `display_order` of property definitions: the position, from 0, in the layout of their own dataset; after those
 * come the dataset's other definitions, by id. Specification: Property definition, Versioning.
 *
 * @returns positions by definition id, in lower case
 */
export function displayOrders(
  datasets: readonly Dataset[],
  definitions: readonly Pick<PropertyDefinition, "id" | "dataset_id">[],
): ReadonlyMap<string, number> {
  const layouts = new Map(
    datasets.map((dataset) => [dataset.id, layoutKeys([dataset]).map((key) => key.toLowerCase())]),
  );
  const orders = new Map<string, number>();
  const unplaced = new Map<number, number>();
  const byId = definitions.map(({ id, dataset_id }) => ({ id: id.toLowerCase(), dataset_id }));
  for (const { id, dataset_id } of byId.sort((a, b) => compareText(a.id, b.id))) {
    const layout = layouts.get(dataset_id) ?? [];
    const place = layout.indexOf(id);
    const others = unplaced.get(dataset_id) ?? 0;
    orders.set(id, place >= 0 ? place : layout.length + others);
    if (place < 0) unplaced.set(dataset_id, others + 1);
  }
  return orders;
}
