import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/index.js";
import { kpis } from "../../../src/plot/index.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";

const html = (...given: Parameters<typeof kpis>) => String(kpis(...given)[displaySymbol]()["text/html"]);

describe("kpis", () => {
  it("tells figures and what changed, as text", () => {
    const shown = kpis(
      [
        { label: "Open tickets", value: 24, before: 36, better: "lower" },
        { label: "Earned", value: 12.345, unit: "MW", before: 11, note: "of 15 MW" },
        { label: "Done", value: 81, unit: "%", before: 81.2, digits: 0 },
        { label: "Trench", value: 12345.6, unit: "m", before: null },
        { label: "Through", value: "2026-11-11" },
        { label: "Affected", value: null, before: 3 },
        { label: "Balance", value: -3 },
      ],
      { since: "2026-06-23" },
    );
    expect(String(shown).split("\n")).toEqual([
      "Open tickets: 24 (▼ −12 since 2026-06-23)",
      "Earned: 12.3 MW (of 15 MW; ▲ +1.3 MW since 2026-06-23)",
      "Done: 81 % (no change since 2026-06-23)",
      "Trench: 12,346 m (change not known since 2026-06-23)",
      "Through: 2026-11-11",
      "Affected: not known",
      "Balance: −3",
    ]);
  });

  it("colours a change by what is good, and escapes what it is given", () => {
    const one = (better?: "higher" | "lower") => html([{ label: "<b>", value: 2, before: 1, better }]);
    expect(one("higher")).toContain("#2e9e5b");
    expect(one("lower")).toContain("#d9534f");
    expect(one()).not.toMatch(/#2e9e5b|#d9534f/);
    expect(one()).toContain("&lt;b&gt;");
  });

  it.each([Number.NaN, undefined, true])("refuses the value %s", (value) => {
    expect(() => kpis([{ label: "x", value: value as never }])).toThrow(ArgumentError);
  });
});
