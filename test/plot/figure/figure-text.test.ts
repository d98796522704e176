import { afterEach, describe, expect, test, vi } from "vitest";
import { provenanceLine } from "../../../src/plot/figure/figure-text.js";
import { originText } from "../../../src/tables/display/text.js";

afterEach(() => vi.unstubAllEnvs());

const readAt = new Date("2026-06-30T14:03:05Z");
const snapshot = { origin: { kind: "snapshot", name: "/home/ada/acme.snapshot" }, generation: 2, readAt } as const;

describe("the line about the data of a figure", () => {
  test("shows a snapshot without its folder, and without its name in reports", () => {
    expect(provenanceLine(snapshot)).toBe("Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 2)");
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    expect(provenanceLine(snapshot)).toBe("Data read 2026-06-30 14:03 UTC (a snapshot, generation 2)");
    expect(originText(snapshot)).toBe("a snapshot, generation 2, read 2026-06-30 14:03 UTC");
  });

  test.each([
    ["2024-06-30", "2024-06-30"],
    ["2024-06-30[Europe/Madrid]", "2024-06-30, Europe/Madrid"],
    ["2024-06-30T14:03:00.000Z", "2024-06-30 14:03 UTC"],
    ["2024-06-30T14:00:07.500Z", "2024-06-30 14:00:07.500 UTC"],
  ])("shows the time %s in readable form", (asOf, words) => {
    expect(provenanceLine({ ...snapshot, asOf })).toMatch(`As of ${words}. Data read `);
    expect(originText({ ...snapshot, asOf })).toMatch(`, as of ${words}`);
  });
});
