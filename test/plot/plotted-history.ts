import type { History } from "../../src/index.js";
import { change, feature } from "../support/records.js";
import { rectangle } from "../support/rectangle.js";
import { historyOf } from "./history-of.js";

/** Three panels in a row: the first is finished, the second half done, the third has no known first value. One edit is late. */
export async function plottedHistory(): Promise<History> {
  const at = (id: number) => ({
    visible_id: `P-${id}`,
    geometry: rectangle(11 + id * 0.002, 48, 0.001),
    created_at: "2024-03-01T08:00:00Z",
  });
  const status = (n: number, id: number, new_value: string | null, created_at: string) =>
    change(n, { layer_feature_id: id, new_value, created_at, id: `018e0000-0000-7000-8000-00000000000${n}` });
  const features = [
    feature(1, { ...at(1), properties: { STATUS: "CLOSED", DEPTH: 1 } }),
    feature(2, { ...at(2), properties: { STATUS: "OPEN", DEPTH: 20 } }),
    feature(3, { ...at(3), properties: { STATUS: "OPEN" } }),
  ];
  const changes = [
    status(1, 1, "OPEN", "2024-03-01T09:00:00Z"),
    status(2, 1, "CLOSED", "2024-03-11T09:00:00Z"),
    status(3, 1, "BLOCKED", "2024-03-06T09:00:00Z"),
    status(4, 2, "OPEN", "2024-03-01T09:00:00Z"),
    status(5, 3, "OPEN", "2024-03-21T09:00:00Z"),
  ];
  return historyOf(features, changes, "2024-03-31T00:00:00Z");
}
