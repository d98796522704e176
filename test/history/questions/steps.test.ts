import { describe, expect, it } from "vitest";
import { change, feature, uuid } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const risk = uuid(6, "eeeeeeee");
const log = [
  at("2024-01-11T00:00:00Z", "OPEN", 1),
  { ...at("2024-01-21T00:00:00.000001Z", "CLOSED", 2), user_id: 7, system: false },
  { ...at("2024-01-26T00:00:00.000001Z", "OPEN", 3), user_id: null, system: true },
  at("2024-01-27T00:00:00Z", null, 4),
];
const small = () => historyOf([feature(1), feature(2, { properties: { STATUS: "BLOCKED" } })], log);

describe("steps", () => {
  it("lists each step with its edit, without the first value", async () => {
    const history = await small();
    const step = { id: 1, visible_id: "F-1" };
    expect(rowsOf(history.steps("STATUS"))).toMatchObject([
      { ...step, from: "OPEN", to: "CLOSED", changed_at_us: 1_705_795_200_000_001, user_id: 7, system: false },
      { ...step, from: "CLOSED", to: "OPEN", days: 5, change_id: uuid(3), user_id: null, system: true },
      { ...step, from: "OPEN", to: null, change_id: uuid(4) },
    ]);
    expect(history.steps("STATUS").columnNames()).not.toContain("backward");
  });

  it("has `backward`, which is null for values that are missing in the order", async () => {
    const history = await small();
    const backward = (order: readonly unknown[]) => history.steps("STATUS", { order }).array("backward");
    expect(backward(["OPEN", "CLOSED"])).toEqual([false, true, null]);
    expect(backward([null, "CLOSED", "OPEN"])).toEqual([true, false, true]);
    expect(backward([])).toEqual([null, null, null]);
  });

  it("accepts the order of a definition's options, by code or label", async () => {
    const codes = [1, 2, 1].map((new_value, n) =>
      change(n + 1, { property_key: risk, new_value, created_at: `2024-02-0${n + 1}T00:00:00Z` }),
    );
    const history = await historyOf([feature(1)], codes);
    expect(history.steps("Risk", { order: "options" }).array("backward")).toEqual([null, null]);
    const labelled = await historyOf([feature(1)], codes, { optionLabels: true });
    expect(labelled.steps("Risk", { order: "options" }).array("from")).toEqual(["Low", 2]);
    expect(labelled.steps("Risk", { order: [2, "Low"] }).array("backward")).toEqual([true, false]);
  });

  it("refuses duplicate, misspelled and missing values", async () => {
    const history = await small();
    const refused = (order: readonly unknown[] | "options") => refusal(() => history.steps("STATUS", { order }));
    expect(refused(["OPEN", "CLOSED", "OPEN"])).toBe(
      'ArgumentError: steps(): `order` contains "OPEN" twice. List each value once.',
    );
    expect(refused(["OPEN", "CLOSD"])).toBe(
      'ArgumentError: steps(): "STATUS" never had the value "CLOSD", which is in `order`. `order` omits 2 values.',
    );
    expect(refused(["OPEN", undefined])).toMatch(/`order` contains undefined/);
    expect(refused("options")).toMatch(/definition of "STATUS" has no options/);
  });

  it("accepts values that no feature has yet if the order is complete, also with knownAt()", async () => {
    const history = await small();
    expect(history.steps("STATUS", { order: ["OPEN", "BLOCKED", "CLOSED", "VERIFIED"] }).numRows()).toBe(3);
    const early = history.knownAt(uuid(1));
    expect(early.steps("STATUS", { order: ["OPEN", "CLOSED"] }).numRows()).toBe(0);
  });
});
