import { table } from "arquero";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import { change, feature } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { historyOf, rowsOf } from "../small-history.js";

/** Four panels, of which three were commissioned: on 1, 11 and 21 March 2024; read on 1 January 2025. */
function panels(planned: readonly unknown[] = []): Promise<History> {
  const features = [1, 2, 3, 4].map((id) => feature(id, { properties: { DUE_DATE: planned[id - 1] ?? null } }));
  const done = ["01", "11", "21"].map((day, n) =>
    change(n + 1, { layer_feature_id: n + 1, created_at: `2024-03-${day}T00:00:00Z`, new_value: "DONE" }),
  );
  const opened = features.map(({ id }) =>
    change(10 + id, { layer_feature_id: id, created_at: "2024-01-01T00:00:00Z" }),
  );
  return historyOf(features, [...opened, ...done]);
}

const plan = table({ date: ["2024-02-29", "2024-03-20"], value: [0, 4] });
const at = (until: string) => ({ done: "DONE", plan, until });

describe("planVariance", () => {
  it("has percentages and days ahead and behind", async () => {
    const history = await panels();
    // The plan goes from 0 on the end of 29 February to 4 on the end of 20 March: one each five days.
    const behind = history.planVariance("STATUS", at("2024-03-15"));
    expect(rowsOf(behind)).toEqual([
      {
        date: new Date("2024-03-16T00:00:00Z"),
        ...{ done: 2, planned: 3, total: 4, percent_done: 50, percent_planned: 75 },
        ...{ variance_percent: -25, variance_days: -5 },
      },
    ]);
    expect(rowsOf(history.planVariance("STATUS", at("2024-03-01")))[0]).toMatchObject({
      planned: 0.2,
      variance_percent: 20,
      variance_days: 4,
    });
    expect(rowsOf(history.planVariance("STATUS", { ...at("2024-03-15"), total: 8 }))[0]).toMatchObject({
      percent_done: 25,
      variance_days: -5,
    });
    expect(provenanceOf(behind)).toEqual(history.provenance);
    expect(rowsOf(behind.plan)).toEqual([
      { date: new Date("2024-03-01T00:00:00Z"), value: 0 },
      { date: new Date("2024-03-21T00:00:00Z"), value: 4 },
    ]);
  });

  it("keeps the variance once the whole plan is done", async () => {
    const whole = table({ date: ["2024-02-29", "2024-03-15"], value: [0, 3] });
    const history = await panels();
    const days = (until: string) =>
      history.planVariance("STATUS", { done: "DONE", plan: whole, until }).get("variance_days", 0);
    expect(["2024-03-20", "2024-03-21", "2024-12-31"].map(days)).toEqual([-10, -5, -5]);
  });

  it("accepts planned dates of features, and counts features without a date", async () => {
    const history = await panels(["2024-03-05", "2024-03-05", "2024-03-31T12:00:00Z", "soon"]);
    const variance = history.planVariance("STATUS", { done: "DONE", plan: "DUE_DATE", until: "2024-03-12" });
    expect(rowsOf(variance.plan)).toEqual([
      { date: new Date("2024-03-06T00:00:00Z"), value: 2 },
      { date: new Date("2024-03-31T12:00:00Z"), value: 3 },
    ]);
    expect(variance.get("done", 0)).toBe(2);
    expect(variance.get("variance_days", 0)).toBe(-7);
    expect(variance.diagnostics).toMatchObject([{ code: "feature-unplanned", count: 1 }]);
    const none = (await panels()).planVariance("STATUS", { done: "DONE", plan: "DUE_DATE" });
    expect(rowsOf(none)[0]).toMatchObject({ planned: 0, variance_days: null });
  });

  it("has no variance while a plan pauses and before it begins", async () => {
    const history = await panels();
    const days = (rest: object, until: string) => {
      return history.planVariance("STATUS", { done: "DONE", plan: table({ ...rest }), until }).get("variance_days", 0);
    };
    const still = { date: ["2024-02-29", "2024-03-10", "2024-06-09", "2024-06-10"], value: [0, 3, 3, 4] };
    expect(days(still, "2024-04-30")).toBe(0);
    expect(days(still, "2024-06-10")).toBe(-1);
    expect([days({ date: ["2024-06-30"], value: [4] }, "2024-02-01")]).toEqual([0]);
    expect(days({ date: ["2024-02-10"], value: [4] }, "2024-02-20")).toBe(-10);
  });

  it("accepts plans with dates of Temporal, and reports an empty plan", async () => {
    const history = await panels();
    const date = [Temporal.PlainDate.from("2024-02-29"), Temporal.Instant.from("2024-03-21T00:00:00Z")];
    const variance = history.planVariance("STATUS", { ...at("2024-03-15"), plan: table({ date, value: [0, 4] }) });
    expect(rowsOf(variance)).toEqual(rowsOf(history.planVariance("STATUS", at("2024-03-15"))));
    const empty = history.planVariance("STATUS", { done: "DONE", plan: table({ date: [], value: [] }) });
    expect(empty.diagnostics).toMatchObject([{ code: "plan-empty" }]);
  });

  it.each([
    [{ done: "DONE", plan: table({ date: ["2024-03-01T12:00:00"], value: [1] }) }, "an instant with its zone"],
    [{ done: "DONE", plan: "DUE_DAT" }, 'Did you mean "DUE_DATE"?'],
    [{ done: "DONE", plan: table({ day: [1] }) }, 'invalid plan: the table has the columns "day".'],
    [
      { done: "DONE", plan: table({ date: ["soon"], value: [1] }) },
      "row 0 of the plan has an invalid date or value: a string of 4 characters",
    ],
    [{ done: "DONE", plan: 5 }, "invalid plan 5."],
    [
      { done: "DONE", plan: table({ date: ["2024-03-01", "2024-03-02"], value: [0, -1] }) },
      'row 1 of the plan has an invalid date or value: "2024-03-02", -1.',
    ],
    [
      { done: "DONE", plan: table({ date: ["2024-03-20", "2024-03-01", "2024-03-10"], value: [5000, 0, 9000] }) },
      'the plan falls from 9,000 by "2024-03-10" (row 2) to 5,000 by "2024-03-20" (row 0).',
    ],
    [{ done: "DONES", plan }, 'done: no feature ever had "DONES" in "STATUS".'],
    [{ done: "DONE", plans: plan }, "Did you mean plan?"],
  ])("refuses %#", async (options, message) => {
    const history = await panels();
    expect(refusal(() => Reflect.apply(history.planVariance, history, ["STATUS", options]))).toContain(message);
  });

  it("has no variance if as much is done as planned, for any plan", async () => {
    const history = await panels();
    const steps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 3 }), (gaps, done) => {
        const until = ["2024-02-01", "2024-03-05", "2024-03-15", "2024-03-25"][done] ?? "";
        const day = Date.parse(`${until}T00:00:00Z`) / 86_400_000 + 1;
        // The plan agrees with the work at this time, with one feature per step.
        const days = gaps.map((_, place) => gaps.slice(0, place).reduce((a, b) => a + b, 0));
        const date = days.map(
          (one) => new Date((day + one - (days[Math.min(done, days.length - 1)] ?? 0)) * 86_400_000),
        );
        const value = days.map((_, place) => place);
        const row = rowsOf(history.planVariance("STATUS", { done: "DONE", plan: table({ date, value }), until }))[0];
        if (done >= days.length) return;
        expect(row).toMatchObject({ done, planned: done, variance_percent: 0 });
        if (done < days.length - 1) expect(row?.["variance_days"]).toBe(0);
      }),
    );
  });
});
