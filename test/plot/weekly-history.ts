import type { History } from "../../src/index.js";
import { change, feature } from "../support/records.js";
import { historyOf } from "./history-of.js";

/** Twelve tickets that were opened together; one a week was closed, and three are left: enough weeks for a forecast. */
export async function weeklyHistory(): Promise<History> {
  const weeks = Array.from({ length: 12 }, (_, week) => week);
  const layerFeatures = weeks.map((week) => feature(week + 1, { created_at: "2024-01-01T00:00:00Z" }));
  const at = (day: number, minute: number) => new Date(Date.UTC(2024, 0, 1 + day, 9, minute)).toISOString();
  const opened = weeks.map((week) => change(week, { layer_feature_id: week + 1, created_at: at(0, week) }));
  const closed = weeks
    .slice(0, 9)
    .map((week) =>
      change(100 + week, { layer_feature_id: week + 1, created_at: at(7 * week + 2, 0), new_value: "CLOSED" }),
    );
  return historyOf(layerFeatures, [...opened, ...closed], "2024-03-25T00:00:00Z");
}
