import { describe, expect, it } from "vitest";
import { change, feature, uuid } from "../../support/records.js";
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
  it("lists each step with its edit; the first value is none", async () => {
    const history = await small();
    const step = { id: 1, visible_id: "F-1" };
    expect(rowsOf(history.steps("STATUS"))).toMatchObject([
      {
        ...step,
        from: "OPEN",
        to: "CLOSED",
        change_id: uuid(2),
        changed_at: new Date("2024-01-21T00:00:00Z"),
        changed_at_us: 1_705_795_200_000_001,
        user_id: 7,
        system: false,
      },
      { ...step, from: "CLOSED", to: "OPEN", days: 5, change_id: uuid(3), user_id: null, system: true },
      { ...step, from: "OPEN", to: null, change_id: uuid(4) },
    ]);
    expect(history.steps("STATUS").columnNames()).not.toContain("backward");
  });

  it("says which lead back; of values that are not in the order nobody can tell", async () => {
    const history = await small();
    const backward = (order: readonly unknown[]) => history.steps("STATUS", { order }).array("backward");
    expect(backward(["OPEN", "CLOSED"])).toEqual([false, true, null]);
    expect(backward([null, "CLOSED", "OPEN"])).toEqual([true, false, true]);
    expect(backward([])).toEqual([null, null, null]);
    const transitions = history.transitions("STATUS", { order: ["OPEN", "CLOSED"] });
    expect(rowsOf(transitions).map(({ from, to, backward }) => [from, to, backward])).toEqual([
      ["CLOSED", "OPEN", true],
      ["OPEN", null, null],
      ["OPEN", "CLOSED", false],
    ]);
  });

  it("takes the order of a definition's options, by code or label", async () => {
    const codes = [1, 2, 1].map((new_value, n) =>
      change(n + 1, { property_key: risk, new_value, created_at: `2024-02-0${n + 1}T00:00:00Z` }),
    );
    const history = await historyOf([feature(1)], codes);
    expect(history.steps("Risk", { order: "options" }).array("backward")).toEqual([null, null]);
    const labelled = await historyOf([feature(1)], codes, { optionLabels: true });
    expect(labelled.steps("Risk", { order: "options" }).array("from")).toEqual(["Low", 2]);
    expect(labelled.steps("Risk", { order: [2, "Low"] }).array("backward")).toEqual([true, false]);
  });

  it("refuses values twice, slips, and options where there are none", async () => {
    const history = await small();
    const refusal = (order: readonly unknown[] | "options") => {
      try {
        history.steps("STATUS", { order });
      } catch (error) {
        return String(error);
      }
      return undefined;
    };
    expect(refusal(["OPEN", "CLOSED", "OPEN"])).toBe(
      'ArgumentError: The order names "OPEN" twice. Name each value once.',
    );
    expect(refusal(["OPEN", "CLOSD"])).toBe(
      'ArgumentError: "STATUS" never had the value "CLOSD", which the order names. It had 2 values, which the order leaves out.',
    );
    expect(refusal(["OPEN", "DONE"])).toMatch(/It had 2 values, which the order leaves out\.$/);
    expect(refusal(["OPEN", undefined])).toMatch(/undefined in it, which is no value/);
    expect(refusal("options")).toMatch(/definition of "STATUS" lists no options/);
  });

  it("takes values that nothing has yet, where the order leaves out none, also before they are known", async () => {
    const history = await small();
    expect(history.steps("STATUS", { order: ["OPEN", "BLOCKED", "CLOSED", "VERIFIED"] }).numRows()).toBe(3);
    const early = history.knownAt(uuid(1));
    expect(early.steps("STATUS", { order: ["OPEN", "CLOSED"] }).numRows()).toBe(0);
  });
});
