import { describe, expect, it } from "vitest";
import type { History } from "../../src/layer/layer.js";
import { change, feature } from "../support/records.js";
import { refusal } from "../support/refusal.js";
import { historyOf } from "./small-history.js";

const count = 60;
const ids = Array.from({ length: count }, (_, place) => place + 1);
const features = ids.map((id) => feature(id, { created_at: "2024-01-01T00:00:00Z", properties: { LENGTH: id } }));
const log = ids.flatMap((id) => [
  change(2 * id, { layer_feature_id: id, created_at: "2024-01-02T00:00:00Z", new_value: "OPEN" }),
  change(2 * id + 1, { layer_feature_id: id, created_at: "2024-06-02T00:00:00Z", new_value: "CLOSED" }),
]);
/** 87,601 dates. */
const dates = { from: "2024-01-01T00:00:00Z", until: "2024-12-31T00:00:00Z", every: "PT6M" };
const intervals = { from: dates.from, every: dates.every, until: dates.until };
const buckets = Array.from({ length: 2000 }, (_, place) => place + 1);

describe("the size of an answer", () => {
  const tooLarge: readonly (readonly [name: string, ask: (history: History) => unknown])[] = [
    ["counts", (history) => history.counts("STATUS", dates, { by: "id" })],
    ["counts with weights", (history) => history.counts("STATUS", dates, { by: "id", weight: "LENGTH" })],
    ["totals", (history) => history.totals("LENGTH", dates, { by: "id" })],
    ["aging", (history) => history.aging("STATUS", { open: "OPEN", dates, by: ["id", "visible_id"] })],
    ["aging", (history) => history.aging("STATUS", { open: "OPEN", dates: { ...dates, every: "PT3H" }, buckets })],
    ["flow", (history) => history.flow("STATUS", { done: "CLOSED", ...intervals, by: "id" })],
  ];

  it.each(tooLarge)("is limited in %s", async (name, ask) => {
    const history = await historyOf(features, log);
    const message = `${name.split(" ")[0]}(): the result has more than 5,000,000 rows.`;
    expect(refusal(() => ask(history))).toContain(message);
  });

  it("is limited by groups and values at dates", async () => {
    const many = Array.from({ length: 1200 }, (_, place) => place + 1);
    const history = await historyOf(
      many.map((id) => feature(id, { created_at: "2024-01-01T00:00:00Z", properties: { LENGTH: id } })),
      [],
    );
    const grid = { ...dates, every: "PT15M" };
    expect(() => history.counts("LENGTH", grid)).toThrow("groups and values at 35,041 dates");
    expect(() => history.totals("LENGTH", grid, { by: "id" })).toThrow(
      "totals(): the result has more than 20,000,000 numbers: 1,200 groups and values at 35,041 dates.",
    );
  });

  it("is limited in a panel by rows and columns", async () => {
    const names = Array.from({ length: 50 }, (_, place) => `P${place}`);
    const properties = Object.fromEntries(names.map((name) => [name, 1]));
    const history = await historyOf(
      ids.map((id) => feature(id, { created_at: "2024-01-01T00:00:00Z", properties })),
      log,
    );
    expect(() => history.panel(dates)).toThrow("panel(): the result has more than 250,000,000 values in 51 columns.");
    expect(history.panel({ ...dates, every: "P1D" }).numRows()).toBe(366 * count);
  });

  it("allows many dates of few groups", async () => {
    const history = await historyOf(features, log);
    const counts = history.counts("STATUS", dates);
    expect(counts.numRows()).toBeGreaterThan(87_600);
    expect(counts.array("count").at(-1)).toBe(count);
    expect(history.totals("LENGTH", dates).array("sum").at(-1)).toBe((count * (count + 1)) / 2);
    expect(history.flow("STATUS", { done: "CLOSED", ...intervals }).array("throughput")).toContain(count);
  });
});
