import { describe, expect, it } from "vitest";
import { feature, uuid } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("lateEdits", () => {
  it("names the newest change before each late edit", async () => {
    const log = [
      at("2024-03-10T00:00:00Z", "a", 1),
      at("2024-03-20T00:00:00Z", "b", 2),
      at("2024-03-15T00:00:00Z", "c", 3),
      at("2024-03-20T00:00:00Z", "tie", 4),
    ];
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.lateEdits())).toMatchObject([
      { change_id: uuid(3), value: "c", overtaken_created_at: new Date("2024-03-20T00:00:00Z"), late_by_days: 5 },
    ]);
    expect(history.diagnostics).toContainEqual(expect.objectContaining({ code: "edit-late", count: 1 }));
  });

  it("lists any number of edits in one cell", async () => {
    const [late, onTime] = [150_000, 50_000];
    const second = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000);
    const log = Array.from({ length: 1 + late + onTime }, (_, n) => at(second(n > late ? n : -n).toISOString(), n, n));
    const edits = (await historyOf([feature(1)], log)).lateEdits();
    expect(edits.array("value")).toEqual(log.slice(1, 1 + late).map(({ new_value }) => new_value));
    expect(new Set(Array.from(edits.array("overtaken_created_at"), Number))).toEqual(new Set([Number(second(0))]));
  });
});
