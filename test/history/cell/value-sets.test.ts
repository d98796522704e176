import { describe, expect, it } from "vitest";
import { diagnosticsOf } from "../../../src/core/diagnostic.js";
import type { History } from "../../../src/layer/layer.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, feature } from "../../support/records.js";

/** Features in their first stage. */
function youngSite(status: string, count = 2): Promise<History> {
  const layerFeatures = Array.from({ length: count }, (_, n) =>
    feature(n + 1, { properties: { STATUS: status }, created_at: "2026-01-07T09:00:00Z" }),
  );
  const propertyChanges = layerFeatures.map(({ id }) =>
    change(id, { layer_feature_id: id, property_key: "STATUS", new_value: status, created_at: "2026-01-07T09:00:00Z" }),
  );
  return fromRecords({ layerFeatures, propertyChanges }, { readAt: new Date("2026-02-01") }).history({ site_id: 12 });
}

const done = "COMMISSIONED";

describe("values that no feature has reached", () => {
  it("count as nothing done", async () => {
    const history = await youngSite("PLANNED");
    expect([...history.flow("STATUS", { done }).array("throughput")].every((count) => count === 0)).toBe(true);
    expect(history.forecast("STATUS", { done }).numRows()).toBe(0);
    expect(history.survival("STATUS", { start: "PLANNED", done: done }).numRows()).toBeGreaterThan(0);
    expect(history.aging("STATUS", { open: ["PLANNED", "PILES"], blocked: "PILES" }).features.numRows()).toBe(2);
  });

  it("are a diagnostic of the table", async () => {
    const history = await youngSite("PLANNED");
    for (const table of [
      history.progress("STATUS", { done }),
      history.flow("STATUS", { done }),
      history.survival("STATUS", { start: "PLANNED", done: done }),
      history.aging("STATUS", { open: ["PLANNED", done] }),
    ]) {
      expect(diagnosticsOf(table)).toContainEqual(
        expect.objectContaining({ code: "value-not-reached", facts: expect.objectContaining({ value: done }) }),
      );
    }
  });

  it.each([
    ["STAGE_1", ["STAGE_2"]],
    ["A", ["B"]],
    ["OPEN", ["CLOSED", "RESOLVED"]],
  ])("may be the next value of a series: %s, then %j", async (status, next) => {
    const history = await youngSite(status);
    expect(history.progress("STATUS", { done: next }).get("percent", 0)).toBe(0);
  });

  it("are an error if they are probably misspelled", async () => {
    const history = await youngSite("PLANNED");
    for (const misspelled of ["PLANED", "planned", "PLANNNED"]) {
      expect(() => history.progress("STATUS", { done: misspelled })).toThrow(`no feature ever had "${misspelled}"`);
    }
  });
});
