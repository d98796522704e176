import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/index.js";
import { kpis } from "../../../src/plot/index.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";

const html = (...given: Parameters<typeof kpis>) => String(kpis(...given)[displaySymbol]()["text/html"]);

describe("kpis", () => {
  it("shows figures and their changes as text", () => {
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
      "Done: 81% (▼ −0.2 points since 2026-06-23)",
      "Trench: 12,346 m (change not known since 2026-06-23)",
      "Through: 2026-11-11",
      "Affected: not known",
      "Balance: −3",
    ]);
  });

  it.each([
    [{ value: 0, before: 0.4, unit: "kW" }, "a: 0 kW (▼ −0.4 kW)"],
    [{ value: 5, before: 4.6, unit: "MW" }, "a: 5 MW (▲ +0.4 MW)"],
    [{ value: 5, before: 3.4, unit: "MW" }, "a: 5 MW (▲ +1.6 MW)"],
    [{ value: 150.3, before: 150.1 }, "a: 150 (▲ +0.2)"],
    [{ value: 0.03, before: 0, unit: "%" }, "a: 0.03% (▲ +0.03 points)"],
    [{ value: -0.0004, before: -0.0004 }, "a: −0.0004 (no change)"],
    [{ value: 0.4, digits: 0 }, "a: 0.4"],
    [{ value: 0.3, before: 0.1 + 0.2 }, "a: 0.3 (no change)"],
    [{ value: -0, before: 0 }, "a: 0 (no change)"],
  ])("does not round to 0: %o", (figure, shown) => {
    expect(String(kpis([{ label: "a", ...figure }]))).toBe(shown);
  });

  it.each([
    [{ value: 99.96, unit: "%" }, "a: 99.9%"],
    [{ value: 99.999, unit: "%", before: 99.9 }, "a: 99.9% (▲ +0.1 points)"],
    [{ value: 99.999, unit: "%", digits: 2 }, "a: 99.99%"],
    [{ value: 99.6, unit: "%", digits: 0 }, "a: 99%"],
    [{ value: 100, unit: "%", before: 99.96 }, "a: 100% (▲ +0.04 points)"],
    [{ value: 100 - 1e-13, unit: "%" }, "a: 100.0%"],
    [{ value: 99.96, unit: "MW" }, "a: 100.0 MW"],
    [{ value: Number.POSITIVE_INFINITY, before: 1 }, "a: ∞ (▲ +∞)"],
    [{ value: Number.NEGATIVE_INFINITY, before: 1 }, "a: −∞ (▼ −∞)"],
  ])("does not round to 100%%, and shows infinite changes: %o", (figure, shown) => {
    expect(String(kpis([{ label: "a", ...figure }]))).toBe(shown);
  });

  it.each([
    [{ befor: 1 }, 'kpis() of "a" has no option "befor"', "Did you mean before?"],
    [{ better: "lowr" }, 'kpis() of "a": better must be "higher" or "lower", but got "lowr"', 'Did you mean "lower"?'],
    [{ better: "small" }, 'kpis() of "a": better must be "higher" or "lower"', undefined],
    [{ before: Number.NaN }, 'kpis() of "a": before must be a number, or null if unknown, but got NaN', undefined],
    [{ digits: -1 }, 'kpis() of "a": digits must be an integer from 0', undefined],
  ])("rejects %o", (wrong, message, hint) => {
    const show = () => kpis([{ label: "a", value: 1, ...(wrong as object) }]);
    expect(show).toThrow(ArgumentError);
    expect(show).toThrow(expect.objectContaining({ message: expect.stringContaining(message), ...(hint && { hint }) }));
  });

  it("colours a change by `better`, and escapes its texts", () => {
    const one = (better?: "higher" | "lower") => html([{ label: "<b>", value: 2, before: 1, better }]);
    expect(one("higher")).toContain("#2e9e5b");
    expect(one("lower")).toContain("#d9534f");
    expect(one()).not.toMatch(/#2e9e5b|#d9534f/);
    expect(one()).toContain("&lt;b&gt;");
  });

  it.each([Number.NaN, undefined, true])("rejects the value %s", (value) => {
    expect(() => kpis([{ label: "x", value: value as never }])).toThrow(ArgumentError);
  });
});
