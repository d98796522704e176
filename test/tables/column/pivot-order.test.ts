import { describe, expect, it } from "vitest";
import { aq } from "../../../src/arquero.js";
import { fromChanges } from "../../../src/index.js";

const { op } = aq;
const table = aq.table({ x: ["a", "a", "b", "b", "b"], y: [10, 2, 1, 10, -3], z: [1, 2, 3, 4, 5] });

describe("pivot() of numbers", () => {
  it("has columns in the order of their size", async () => {
    expect(table.groupby("x").pivot("y", "z").columnNames()).toEqual(["x", "-3", "1", "2", "10"]);
    expect(table.pivot({ key: (d: { y: number }) => d.y / 2 }, "z").columnNames()).toEqual(["-1.5", "0.5", "1", "5"]);
    expect(table.groupby("x").pivot("y", "z").array("10")).toEqual([1, 4]);
    const rows = [5, 10, 100, 20].map((v, id) => ({ id, v, at: "2024-01-01T00:00:00Z" }));
    const history = await fromChanges(rows, { id: "id", property: "PROGRESS", value: "v", time: "at" });
    const counts = history.counts("PROGRESS", ["2024-01-02"]).groupby("date").pivot("value", "count");
    expect(counts.columnNames()).toEqual(["date", "5", "10", "20", "100"]);
  });

  it("orders big integers and dates by size, too", () => {
    const big = aq.table({ y: [10n ** 20n, 9n, 100n], z: [1, 2, 3] });
    expect(big.pivot("y", "z").columnNames()).toEqual(["9", "100", "100000000000000000000"]);
    const days = ["2024-04-01", "2023-12-01", "2024-01-01"].map((day) => new Date(day));
    const dated = aq.table({ y: days, z: [1, 2, 3] }).pivot("y", "z");
    expect(dated.columnNames().map((name) => dated.get(name, 0))).toEqual([2, 3, 1]);
  });

  it("orders each of several values, and numbers next to strings", () => {
    const both = table.pivot("y", { least: op.min("z"), most: op.max("z") });
    expect(both.columnNames()).toEqual(["least", "most"].flatMap((name) => [-3, 1, 2, 10].map((y) => `${name}_${y}`)));
    expect(table.pivot(["x", "y"], "z").columnNames()).toEqual(["a_2", "a_10", "b_-3", "b_1", "b_10"]);
  });

  it("keeps the first ones by size, and the order of the rows on request", () => {
    expect(table.pivot("y", "z", { limit: 2 }).columnNames()).toEqual(["-3", "1"]);
    expect(table.pivot("y", "z", { sort: false }).columnNames()).toEqual(["10", "2", "1", "-3"]);
    const gaps = aq.table({ y: [10, null, 2, Number.NaN], z: [1, 2, 3, 4] });
    expect(gaps.pivot("y", "z").columnNames()).toEqual(["2", "10"]);
  });

  it("leaves the order of strings", () => {
    const texts = aq.table({ y: ["10", "2", "1"], z: [1, 2, 3] });
    expect(texts.pivot("y", "z").columnNames()).toEqual(["1", "10", "2"]);
  });
});
