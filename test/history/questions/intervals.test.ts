import { describe, expect, it } from "vitest";
import { feature, uuid } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const day = (n: number) => `2024-01-${n}T00:00:00Z`;
const log = [
  at(day(11), "OPEN", 1),
  at(day(13), "OPEN", 2),
  at(day(21), "SKIPPED", 3),
  at(day(21), "CLOSED", 4),
  at(day(26), null, 5),
  at(day(31), "OPEN", 6),
];

describe("intervals", () => {
  it("join equal neighbors, omit empty intervals and show the unknown beginning", async () => {
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.intervals("STATUS"))).toMatchObject([
      { state: "unknown", value: null, valid_from: new Date("2024-01-01T00:00:00Z"), change_id: null },
      { state: "logged", value: "OPEN", valid_from: new Date(day(11)), change_id: uuid(1) },
      { state: "logged", value: "CLOSED", valid_from: new Date(day(21)), change_id: uuid(4) },
      { state: "cleared", value: null, valid_to: new Date(day(31)), change_id: uuid(5) },
      { state: "logged", value: "OPEN", valid_to: null, change_id: uuid(6) },
    ]);
  });
});
