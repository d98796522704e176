import { fromRecords, type History } from "../../src/index.js";
import { change, feature } from "../support/records.js";

/** Three panels in a row: one finished, one half done, one whose first value is not known; a late edit, by the system. */
export async function plottedHistory(): Promise<History> {
  const square = (x: number) => ({
    type: "Polygon" as const,
    coordinates: [
      [
        [x, 48],
        [x + 0.001, 48],
        [x + 0.001, 48.001],
        [x, 48.001],
        [x, 48],
      ],
    ],
  });
  const at = (id: number) => ({
    visible_id: `P-${id}`,
    geometry: square(11 + id * 0.002),
    created_at: "2024-03-01T08:00:00Z",
  });
  const status = (n: number, id: number, new_value: string | null, created_at: string) =>
    change(n, { layer_feature_id: id, new_value, created_at, id: `018e0000-0000-7000-8000-00000000000${n}` });
  const source = fromRecords(
    {
      datasets: [],
      layerFeatures: [
        feature(1, { ...at(1), properties: { STATUS: "CLOSED", DEPTH: 1 } }),
        feature(2, { ...at(2), properties: { STATUS: "OPEN", DEPTH: 20 } }),
        feature(3, { ...at(3), properties: { STATUS: "OPEN" } }),
      ],
      propertyChanges: [
        status(1, 1, "OPEN", "2024-03-01T09:00:00Z"),
        status(2, 1, "CLOSED", "2024-03-11T09:00:00Z"),
        status(3, 1, "BLOCKED", "2024-03-06T09:00:00Z"),
        status(4, 2, "OPEN", "2024-03-01T09:00:00Z"),
        status(5, 3, "OPEN", "2024-03-21T09:00:00Z"),
      ],
    },
    { readAt: new Date("2024-03-31T00:00:00Z") },
  );
  return source.history({ site_id: 12 });
}
