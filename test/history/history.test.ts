import { ColumnTable } from "arquero";
import { describe, expect, it } from "vitest";
import { displaySymbol } from "../../src/tables/display/mime-bundle.js";
import { change, feature } from "../support/records.js";
import { at, historyOf } from "./small-history.js";

describe("the display of a history", () => {
  it.each([
    [1, "History of 1 property, 1 feature, from "],
    [2, "History of 1 property, 2 features, from "],
    [0, "History of 0 properties, 0 features, from "],
  ])("counts %i features in words", async (count, caption) => {
    const features = Array.from({ length: count }, (_, n) => feature(n + 1));
    const shown = (await historyOf(features, count === 0 ? [] : [change(1)]))[displaySymbol]();
    expect(shown["text/plain"]).toContain(caption);
    expect(shown["text/html"]).toContain(caption);
  });
});

describe("the tables of a history", () => {
  it("are returned by calls, not by properties", async () => {
    const history = await historyOf([feature(1)], [at("2024-03-01T00:00:00Z", "OPEN", 1)]);
    const kinds = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(history) as object);
    const getters = Object.entries(kinds).flatMap(([name, { get }]) => (get ? [name] : []));
    expect(getters).toContain("diagnostics");
    const properties = [...Object.keys(history), ...getters].map((name) => Reflect.get(history, name) as unknown);
    expect(properties.filter((value) => value instanceof ColumnTable)).toEqual([]);
    expect(history.changes()).toBeInstanceOf(ColumnTable);
  });
});
