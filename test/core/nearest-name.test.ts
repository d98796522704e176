import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestName } from "../../src/core/nearest-name.js";

const known = ["sites", "operations", "layerFeatures", "propertyDefinitions", "propertyChanges"];

describe("nearestName", () => {
  it.each([
    ["site", "sites"],
    ["Sites", "sites"],
    ["sitse", "sites"],
    ["layer_features", "layerFeatures"],
    ["LAYERFEATURES", "layerFeatures"],
    ["layrFeature", "layerFeatures"],
    ["propertyChange", "propertyChanges"],
    ["sites", "sites"],
  ])("%s → %s", (given, name) => expect(nearestName(given, known)).toBe(name));

  it.each(["no_such_resource", "", "xyz", "s".repeat(100_000)])("none for %.20s", (given) => {
    expect(nearestName(given, known)).toBeUndefined();
  });

  it("takes the first of equally near ones", () => {
    expect(nearestName("b", ["a", "c"])).toBe("a");
    expect(nearestName("anything", [])).toBeUndefined();
  });

  it("forgives one slip anywhere in a longer name", () => {
    const slip = fc.record({ name: fc.constantFrom(...known), at: fc.nat(), letter: fc.constantFrom("q", "_", "7") });
    fc.assert(
      fc.property(slip, fc.constantFrom("add", "drop", "replace", "swap"), ({ name, at, letter }, kind) => {
        const place = at % (name.length - 1);
        const [start, rest] = [name.slice(0, place), name.slice(place)];
        const [first = "", second = ""] = rest;
        const slips = {
          add: start + letter + rest,
          drop: start + rest.slice(1),
          replace: start + letter + rest.slice(1),
          swap: start + second + first + rest.slice(2),
        };
        expect(nearestName(slips[kind], known)).toBe(name);
      }),
    );
  });
});
