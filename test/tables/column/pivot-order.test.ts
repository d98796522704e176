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
  });

  it("leaves the order of strings", () => {
    const texts = aq.table({ y: ["10", "2", "1"], z: [1, 2, 3] });
    expect(texts.pivot("y", "z").columnNames()).toEqual(["1", "10", "2"]);
  });
});

describe("pivot() of missing keys", () => {
  const gaps = aq.table({ x: ["a", "a", "b", "b", "b"], y: [10, null, 2, Number.NaN, undefined], z: [1, 2, 3, 4, 5] });
  const sumOf = (pivoted: ReturnType<typeof gaps.pivot>) =>
    pivoted.columnNames().reduce((sum, name) => sum + Number(pivoted.get(name, 0) ?? 0), 0);

  it("has them in one column behind the others, so that no row is missing from a sum", () => {
    const pivoted = gaps.pivot("y", { z: op.sum("z") });
    expect(pivoted.columnNames()).toEqual(["2", "10", "null"]);
    expect(pivoted.get("null", 0)).toBe(11);
    expect(sumOf(pivoted)).toBe(15);
    const grouped = gaps.groupby("x").pivot("y", { count: op.count(), sum: op.sum("z") });
    expect(grouped.objects()).toEqual([
      { x: "a", count_2: undefined, count_10: 1, count_null: 1, sum_2: undefined, sum_10: 1, sum_null: 2 },
      { x: "b", count_2: 1, count_10: undefined, count_null: 2, sum_2: 3, sum_10: undefined, sum_null: 9 },
    ]);
  });

  it("has them behind strings, by functions, of filtered rows, and in the order of the rows", () => {
    const texts = aq.table({ y: ["z", null, "a"], z: [1, 2, 3] });
    expect(texts.pivot("y", "z").objects()).toEqual([{ a: 3, z: 1, null: 2 }]);
    expect(texts.pivot({ key: (d: { y: string | null }) => d.y }, "z").columnNames()).toEqual(["a", "z", "null"]);
    expect(
      texts
        .filter((d: { z: number }) => d.z > 1)
        .pivot("y", "z")
        .columnNames(),
    ).toEqual(["a", "null"]);
    expect(texts.pivot("y", "z", { sort: false }).columnNames()).toEqual(["z", "null", "a"]);
    expect(texts.pivot("y", "z", { limit: 2 }).columnNames()).toEqual(["a", "z"]);
  });

  it("distinguishes them from the string null", () => {
    const both = aq.table({ y: ["null", null], z: [1, 2] }).pivot("y", "z");
    expect(both.objects()).toEqual([{ null: 1, null_: 2 }]);
  });

  it("keeps several keys as they are", () => {
    const two = gaps.pivot(["x", "y"], { z: op.sum("z") });
    expect(sumOf(two)).toBe(15);
  });

  it("has them of counts by a column, in the order of its values", async () => {
    const rows = ["OPEN", "DONE", null].map((v, id) => ({ id, v, at: "2024-01-01T00:00:00Z" }));
    const history = await fromChanges(rows, { id: "id", property: "STATUS", value: "v", time: "at" });
    const counts = history.counts("STATUS", ["2024-01-02"]).groupby("date").pivot("value", "count");
    expect(counts.objects()).toEqual([{ date: "2024-01-02", OPEN: 1, DONE: 1, null: 1 }]);
  });
});
