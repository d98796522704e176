import { describe, expect, it } from "vitest";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("reconcile", () => {
  it("counts current values by the order that explains them", async () => {
    const late = [at("2024-03-02T00:00:00Z", "by time", 1), at("2024-03-01T00:00:00Z", "by insertion", 2)];
    const reconciled = async (STATUS: string) =>
      (await historyOf([feature(1, { properties: { STATUS } })], late)).reconcile();
    const counted = { column: "STATUS", pairs: 1, valid: 0, insertion: 0, both: 0, neither: 0 };
    expect((await reconciled("by time")).object()).toEqual({ ...counted, valid: 1 });
    expect((await reconciled("by insertion")).object()).toEqual({ ...counted, insertion: 1 });
    const neither = await reconciled("else");
    expect(neither.object()).toEqual({ ...counted, neither: 1 });
    expect(rowsOf(neither.mismatches)).toEqual([
      { id: 1, visible_id: "F-1", column: "STATUS", logged: "by time", current: "else", insertion: false },
    ]);
  });
});
