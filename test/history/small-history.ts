import type { ColumnTable } from "arquero";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import type { HistoryOptions } from "../../src/history/history-options.js";
import type { History } from "../../src/layer/layer.js";
import type { LayerOptions } from "../../src/layer/layer-data.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, dataset, definition, uuid } from "../support/records.js";

/** A history of hand-written records, read at the beginning of 2025. */
export function historyOf(
  features: readonly LayerFeature[],
  changes: readonly PropertyChange[],
  options?: HistoryOptions & LayerOptions,
): Promise<History> {
  const riskOptions = { options: [{ id: 1, label: "Low" }] };
  const source = fromRecords(
    {
      layerFeatures: features,
      propertyChanges: changes,
      datasets: [dataset(1), dataset(2)],
      propertyDefinitions: [
        definition(uuid(5, "dddddddd"), "Depth"),
        definition(uuid(6, "eeeeeeee"), "Risk", { type: "OPTION", config: riskOptions }),
        definition(uuid(7, "ffffffff"), "Risk", { type: "OPTION", dataset_id: 2, config: riskOptions }),
        definition(uuid(8, "abcdabcd"), "date"),
        definition(uuid(9, "abcdabcd"), "value"),
      ],
    },
    { readAt: new Date("2025-01-01T00:00:00Z") },
  );
  return source.history({ site_id: 12 }, options);
}

/** A change of feature 1's STATUS. */
export function at(created_at: string, new_value: unknown, n: number): PropertyChange {
  return change(n, { created_at, new_value });
}

/** A change of a feature at the beginning of a day of 2024, such as "03-31". */
export function status(n: number, layer_feature_id: number, day: string, new_value: unknown, property_key = "STATUS") {
  return change(n, { layer_feature_id, created_at: `2024-${day}T00:00:00Z`, new_value, property_key });
}

export function rowsOf(table: ColumnTable): Readonly<Record<string, unknown>>[] {
  return table.objects() as Readonly<Record<string, unknown>>[];
}
