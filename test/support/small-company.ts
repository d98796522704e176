import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { change, dataset, definition, feature, uuid } from "./records.js";

export const depthKey = uuid(1, "cccccccc");

/** Writes a snapshot of three features whose history fits on a page. */
export async function writeSmallCompany(path: string): Promise<void> {
  const day = (n: number) => `2024-06-0${n}T12:00:00Z`;
  await writeSnapshot(
    path,
    {
      datasets: [dataset(1)],
      propertyDefinitions: [definition(depthKey, "Depth", { type: "FLOAT" })],
      layerFeatures: [
        feature(1, { properties: { STATUS: "DONE", [depthKey]: 1.5 } }),
        feature(2, { properties: { STATUS: "OPEN" } }),
        feature(3, { properties: { STATUS: "OPEN", [depthKey]: 2 }, created_at: day(4) }),
      ],
      propertyChanges: [
        change(1, { created_at: day(1), new_value: "OPEN" }),
        change(2, { created_at: day(3), new_value: "DONE", user_id: 8 }),
        change(3, { layer_feature_id: 3, property_key: depthKey, new_value: 1, created_at: day(5) }),
        change(4, { layer_feature_id: 3, property_key: depthKey, new_value: 2, created_at: day(6) }),
        change(5, { layer_feature_id: 1, property_key: depthKey, new_value: 1.5, created_at: day(2) }),
      ],
    },
    { readAt: new Date("2025-01-01T00:00:00Z") },
  );
}
