import { describe, expect, it } from "vitest";
import { change, feature } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

describe("editsByUser", () => {
  it("counts edits by user, hour and weekday of the zone's clocks", async () => {
    const log = [
      change(1, { created_at: "2024-03-31T00:30:00Z" }),
      change(2, { created_at: "2024-03-31T01:30:00Z" }),
      change(3, { created_at: "2024-03-31T22:30:00Z", system: true, user_id: null }),
      change(4, { created_at: "1890-01-01T12:00:00Z" }),
    ];
    const edits = (await historyOf([feature(1)], log, { timeZone: "Europe/Berlin" })).editsByUser();
    const [first_at, last_at] = [new Date("1890-01-01T12:00:00Z"), new Date("2024-03-31T01:30:00Z")];
    expect(rowsOf(edits)).toMatchObject([
      { user_id: 7, system: false, edits: 3, first_at, last_at },
      { user_id: null, system: true, edits: 1 },
    ]);
    expect(rowsOf(edits.hours)).toEqual([
      { user_id: 7, system: false, weekday: 3, hour: 12, edits: 1 },
      { user_id: 7, system: false, weekday: 7, hour: 1, edits: 1 },
      { user_id: 7, system: false, weekday: 7, hour: 3, edits: 1 },
      { user_id: null, system: true, weekday: 1, hour: 0, edits: 1 },
    ]);
  });
});
