import { table } from "arquero";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import { change, feature } from "../../support/records.js";
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

describe("againstPlan", () => {
  it("tells percents and days ahead and behind", async () => {
    const history = await panels();
    // The plan goes from 0 on the end of 29 February to 4 on the end of 20 March: one each five days.
    const behind = history.againstPlan("STATUS", at("2024-03-15"));
    expect(rowsOf(behind)).toEqual([
      {
        date: new Date("2024-03-16T00:00:00Z"),
        ...{ done: 2, planned: 3, total: 4, percent_done: 50, percent_planned: 75 },
        ...{ variance_percent: -25, variance_days: -5 },
      },
    ]);
    expect(rowsOf(history.againstPlan("STATUS", at("2024-03-01")))[0]).toMatchObject({
      planned: 0.2,
      variance_percent: 20,
      variance_days: 4,
    });
    expect(rowsOf(history.againstPlan("STATUS", { ...at("2024-03-15"), total: 8 }))[0]).toMatchObject({
      percent_done: 25,
      variance_days: -5,
    });
    expect(provenanceOf(behind)).toEqual(history.provenance);
    expect(rowsOf(behind.plan)).toEqual([
      { date: new Date("2024-03-01T00:00:00Z"), value: 0 },
      { date: new Date("2024-03-21T00:00:00Z"), value: 4 },
    ]);
  });

  it("stands still once the whole plan is done", async () => {
    const whole = table({ date: ["2024-02-29", "2024-03-15"], value: [0, 3] });
    const days = (until: string) => {
      return (history: History) =>
        history.againstPlan("STATUS", { done: "DONE", plan: whole, until }).get("variance_days", 0);
    };
    const history = await panels();
    expect(days("2024-03-20")(history)).toBe(-10);
    expect([days("2024-03-21")(history), days("2024-12-31")(history)]).toEqual([-5, -5]);
  });

  it("takes planned dates of features, and counts those that have none", async () => {
    const history = await panels(["2024-03-05", "2024-03-05", "2024-03-31T12:00:00Z", "soon"]);
    const variance = history.againstPlan("STATUS", { done: "DONE", plan: "DUE_DATE", until: "2024-03-12" });
    expect(rowsOf(variance.plan)).toEqual([
      { date: new Date("2024-03-06T00:00:00Z"), value: 2 },
      { date: new Date("2024-03-31T12:00:00Z"), value: 3 },
    ]);
    expect(variance.get("done", 0)).toBe(2);
    expect(variance.get("variance_days", 0)).toBe(-7);
    expect(variance.findings).toMatchObject([{ code: "unplanned", count: 1 }]);
    const none = (await panels()).againstPlan("STATUS", { done: "DONE", plan: "DUE_DATE" });
    expect(rowsOf(none)[0]).toMatchObject({ planned: 0, variance_days: null });
  });

  it("is even while a plan stands still, and before it begins", async () => {
    const history = await panels();
    const days = (rest: object, until: string) => {
      return history.againstPlan("STATUS", { done: "DONE", plan: table({ ...rest }), until }).get("variance_days", 0);
    };
    const still = { date: ["2024-02-29", "2024-03-10", "2024-06-09", "2024-06-10"], value: [0, 3, 3, 4] };
    expect(days(still, "2024-04-30")).toBe(0);
    expect(days(still, "2024-06-10")).toBe(-1);
    expect([days({ date: ["2024-06-30"], value: [4] }, "2024-02-01")]).toEqual([0]);
    expect(days({ date: ["2024-02-10"], value: [4] }, "2024-02-20")).toBe(-10);
  });

  it("takes plans with dates of Temporal, and says what an empty one and a time after the reading mean", async () => {
    const history = await panels();
    const date = [Temporal.PlainDate.from("2024-02-29"), Temporal.Instant.from("2024-03-21T00:00:00Z")];
    const variance = history.againstPlan("STATUS", { ...at("2024-03-15"), plan: table({ date, value: [0, 4] }) });
    expect(rowsOf(variance)).toEqual(rowsOf(history.againstPlan("STATUS", at("2024-03-15"))));
    const empty = history.againstPlan("STATUS", { done: "DONE", plan: table({ date: [], value: [] }) });
    expect(empty.findings).toMatchObject([{ code: "empty-plan" }]);
    expect(history.againstPlan("STATUS", at("2029-01-01")).findings).toMatchObject([{ code: "beyond-reading" }]);
    const forecast = history.forecast("STATUS", { done: "DONE", until: "2029-01-01" });
    expect(forecast.findings[0]).toMatchObject({ code: "beyond-reading" });
    const survival = history.survival("STATUS", { from: "OPEN", to: "DONE", until: "2029-01-01" });
    expect(survival.findings[0]).toMatchObject({ code: "beyond-reading" });
  });

  it.each([
    [{ done: "DONE", plan: table({ date: ["2024-03-01T12:00:00"], value: [1] }) }, "an instant with its zone"],
    [{ done: "DONE", plan: "DUE_DAT" }, 'Did you mean "DUE_DATE"?'],
    [{ done: "DONE", plan: table({ day: [1] }) }, "is no plan."],
    [
      { done: "DONE", plan: table({ date: ["soon"], value: [1] }) },
      "Row 0 of the plan has date a string of 4 characters",
    ],
    [{ done: "DONE", plan: 5 }, "5 is no plan."],
    [
      { done: "DONE", plan: table({ date: ["2024-03-01", "2024-03-02"], value: [0, -1] }) },
      'Row 1 of the plan has date "2024-03-02" and value -1.',
    ],
    [
      { done: "DONE", plan: table({ date: ["2024-03-20", "2024-03-01", "2024-03-10"], value: [5000, 0, 9000] }) },
      'The plan falls from 9,000 by "2024-03-10" (row 2) to 5,000 by "2024-03-20" (row 0).',
    ],
    [{ done: "DONES", plan }, 'done: no feature ever had "DONES" in "STATUS".'],
    [{ done: "DONE", plans: plan }, "Did you mean plan?"],
  ])("refuses %#", async (options, said) => {
    const history = await panels();
    let error: unknown;
    try {
      Reflect.apply(history.againstPlan, history, ["STATUS", options]);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "ERR_ARGUMENT" });
    expect(String(error)).toContain(said);
  });

  it("is even where as much is done as is planned, whatever the plan", async () => {
    const history = await panels();
    const steps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 3 }), (gaps, done) => {
        const until = ["2024-02-01", "2024-03-05", "2024-03-15", "2024-03-25"][done] ?? "";
        const day = Date.parse(`${until}T00:00:00Z`) / 86_400_000 + 1;
        // A plan that is where the work is at this very time, one feature per step.
        const days = gaps.map((_, place) => gaps.slice(0, place).reduce((a, b) => a + b, 0));
        const date = days.map(
          (one) => new Date((day + one - (days[Math.min(done, days.length - 1)] ?? 0)) * 86_400_000),
        );
        const value = days.map((_, place) => place);
        const row = rowsOf(history.againstPlan("STATUS", { done: "DONE", plan: table({ date, value }), until }))[0];
        if (done >= days.length) return;
        expect(row).toMatchObject({ done, planned: done, variance_percent: 0 });
        if (done < days.length - 1) expect(row?.["variance_days"]).toBe(0);
      }),
    );
  });
});
