import { afterEach, describe, expect, test, vi } from "vitest";
import { provenanceText } from "../../../src/core/format/format-provenance.js";

afterEach(() => vi.unstubAllEnvs());

const readAt = new Date("2026-06-30T14:03:05Z");
const snapshot = { origin: { kind: "snapshot", name: "/home/ada/acme.snapshot" }, generation: 2, readAt } as const;
const live = { origin: { kind: "live", name: "https://api.example.com" }, readAt } as const;

describe("provenanceText", () => {
  test("has a form for each output", () => {
    expect(provenanceText(snapshot, "caption")).toBe(
      "/home/ada/acme.snapshot, generation 2, read 2026-06-30 14:03 UTC",
    );
    expect(provenanceText(snapshot, "figure")).toBe("Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 2)");
    expect(provenanceText(snapshot, "age")).toBe("Data read 2026-06-30 14:03 UTC, generation 2");
    expect(provenanceText(snapshot, "generation")).toBe("generation 2 (read 2026-06-30T14:03:05.000Z)");
    expect(provenanceText(snapshot, "source")).toBe("snapshot /home/ada/acme.snapshot, generation 2");
  });

  test("has no generation for other origins, and no address in figures", () => {
    expect(provenanceText(live, "caption")).toBe("https://api.example.com, read 2026-06-30 14:03 UTC");
    expect(provenanceText(live, "figure")).toBe("Data read 2026-06-30 14:03 UTC");
    expect(provenanceText(live, "age")).toBe("Data read 2026-06-30 14:03 UTC");
    expect(provenanceText(live, "source")).toBe("live https://api.example.com");
  });

  test("has the requested date, and the time of reading in a zone", () => {
    const past = { ...snapshot, asOf: "2024-06-30[Europe/Madrid]" };
    expect(provenanceText(past, "figure")).toMatch("As of 2024-06-30, Europe/Madrid. Data read ");
    expect(provenanceText(past, "caption")).toMatch(", as of 2024-06-30, Europe/Madrid");
    expect(provenanceText(past, "age", { timeZone: "Europe/Madrid" })).toBe(
      "Data read 2026-06-30 16:03 Europe/Madrid, generation 2",
    );
  });

  test("has no names in reports", () => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    expect(provenanceText(snapshot, "figure")).toBe("Data read 30 Jun 2026, 14:03 UTC (a snapshot, generation 2)");
    expect(provenanceText(snapshot, "caption")).toBe("a snapshot, generation 2, read 30 Jun 2026, 14:03 UTC");
    expect(provenanceText(live, "caption")).toBe("the service, read 30 Jun 2026, 14:03 UTC");
  });
});
