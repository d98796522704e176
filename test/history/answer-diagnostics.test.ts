import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Diagnostic, diagnosticsOf } from "../../src/core/diagnostic.js";
import { fromRecords, openSnapshot, pull } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature } from "../support/records.js";

const folder = temporaryFolder();
const readAt = new Date("2025-01-01T12:00:00Z");
const after = "2025-02-01";

/** F-1 differs from the log, F-2 agrees, and F-3 has no changes. */
const records = {
  datasets: [dataset(1)],
  layerFeatures: [
    feature(1, { properties: { STATUS: "CLOSED", VOLUME: 3 } }),
    feature(2, { properties: { STATUS: "OPEN", VOLUME: 3 } }),
    feature(3, { properties: { STATUS: "OPEN" } }),
  ],
  propertyChanges: [
    change(1, { new_value: "CLOSED", created_at: "2024-03-01T00:00:00Z" }),
    change(2, { new_value: "OPEN", created_at: "2024-04-01T00:00:00Z" }),
    change(3, { layer_feature_id: 2, new_value: "OPEN", created_at: "2024-04-01T00:00:00Z" }),
    change(4, { property_key: "VOLUME", new_value: 2, created_at: "2024-04-01T00:00:00Z" }),
  ],
};

const source = fromRecords(records, { readAt });
const codes = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code }) => code);
const history = () => source.history({ site_id: 12 });
const grid = { from: "2024-11-01", until: after, every: "month" };

describe("diagnostics of an answer", () => {
  it("are set by each question with a time, and replaced by the next question", async () => {
    const asked = await history();
    const spells = { start: "OPEN", done: "CLOSED" };
    const questions: readonly [string, () => unknown][] = [
      ["asOf", () => asked.asOf(after)],
      ["states", () => asked.states(after)],
      ["panel", () => asked.panel(grid)],
      ["counts", () => asked.counts("STATUS", [after])],
      ["totals", () => asked.totals("VOLUME", grid)],
      ["durations", () => asked.durations("STATUS", { until: after })],
      ["diff", () => asked.diff("2024-01-01", after)],
      ["survival", () => asked.survival("STATUS", { ...spells, until: after })],
      ["forecast", () => asked.forecast("STATUS", { done: "CLOSED", until: after })],
      ["planVariance", () => asked.planVariance("STATUS", { done: "CLOSED", plan: "STATUS", until: after })],
      ["joinAsOf", () => asked.joinAsOf([{ id: 1, time: after }], { id: "id", time: "time" })],
    ];
    for (const [name, ask] of questions) {
      const table = ask();
      expect(codes(diagnosticsOf(table)), name).toContain("date-after-read");
      expect(codes(asked.diagnostics), name).toContain("date-after-read");
      asked.intervals("STATUS");
      expect(codes(asked.diagnostics), name).not.toContain("date-after-read");
      // The table keeps its diagnostics.
      expect(codes(diagnosticsOf(table)), name).toContain("date-after-read");
    }
    asked.layerAsOf(after);
    expect(codes(asked.diagnostics)).toContain("date-after-read");
    asked.counts("STATUS", ["2024-12-31"]);
    expect(codes(asked.diagnostics)).not.toContain("date-after-read");
  });

  it("count the dates of a grid that are after the day of the reading", async () => {
    const asked = await history();
    asked.counts("STATUS", ["2024-12-31", "2025-01-01", "2025-01-02", "2025-01-03"]);
    expect(asked.diagnostics.at(-1)).toMatchObject({
      code: "date-after-read",
      count: 2,
      message:
        '2 of 4 dates are after the log was read (2025-01-01T12:00:00.000Z), for example "2025-01-02". Their results have the values known then.',
    });
    asked.counts("STATUS", ["2025-01-01T12:00:00Z"]);
    expect(codes(asked.diagnostics)).not.toContain("date-after-read");
    asked.counts("STATUS", []);
    expect(codes(asked.diagnostics)).not.toContain("date-after-read");
  });

  it("remain while a history is displayed", async () => {
    const asked = await history();
    asked.asOf(after);
    const shown = (asked as never as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]?.();
    expect(shown?.["text/plain"]).toContain("is after the log was read");
  });
});

describe("current values that differ from the log", () => {
  const differs = {
    code: "log-differs-from-current",
    count: 2,
    facts: { columns: { STATUS: 1, VOLUME: 1 } },
  };

  it("are a diagnostic with the count of reconcile()", async () => {
    const asked = await history();
    expect(asked.diagnostics.filter(({ code }) => code === "log-differs-from-current")).toMatchObject([differs]);
    expect(asked.reconcile().mismatches.numRows()).toBe(2);
    const [one] = (await source.history({ site_id: 12 }, { columns: ["STATUS"] })).diagnostics.slice(-1);
    expect(one).toMatchObject({ count: 1, facts: { columns: { STATUS: 1 } } });
  });

  it("are not reported if both agree, or as of an earlier knownAt()", async () => {
    const [, second] = records.layerFeatures;
    const same = fromRecords({ ...records, layerFeatures: second ? [second] : [] }, { readAt });
    expect(codes((await same.history({ site_id: 12 })).diagnostics)).not.toContain("log-differs-from-current");
    const asked = await history();
    expect(codes(asked.knownAt(records.propertyChanges[0]?.id ?? "").diagnostics)).not.toContain(
      "log-differs-from-current",
    );
    expect(codes(asked.knownAt("ffffffff-ffff-ffff-ffff-ffffffffffff").diagnostics)).toContain(
      "log-differs-from-current",
    );
  });

  it("are reported by layerAsOf() as of now, not as of an earlier time", async () => {
    const asked = await history();
    expect(codes(asked.layerAsOf(readAt).diagnostics)).toContain("log-differs-from-current");
    expect(codes(asked.layerAsOf("2024-03-31").diagnostics)).not.toContain("log-differs-from-current");
  });

  it("are reported by snapshots and engines", async () => {
    await pull(source, join(folder, "differs"), {});
    const snapshot = await openSnapshot(join(folder, "differs"));
    const stored = await snapshot.history({ site_id: 12 });
    expect(stored.diagnostics.filter(({ code }) => code === "log-differs-from-current")).toMatchObject([differs]);
    const questions = await snapshot.lazyHistory({ site_id: 12 });
    expect((await questions.diagnostics).filter(({ code }) => code === "log-differs-from-current")).toMatchObject([
      differs,
    ]);
    const table = await questions.counts("STATUS", ["2999-01-01"]);
    expect(codes(diagnosticsOf(table))).toEqual(["date-after-read"]);
    expect(codes(await questions.diagnostics)).toContain("date-after-read");
    await questions.intervals("STATUS");
    expect(codes(await questions.diagnostics)).not.toContain("date-after-read");
    const early = await questions.knownAt(records.propertyChanges[0]?.id ?? "");
    expect(codes(await early.diagnostics)).not.toContain("log-differs-from-current");
    await questions.close();
    await snapshot.close();
  });
});
