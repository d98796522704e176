import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Finding, findingsOf } from "../../src/core/finding.js";
import { fromRecords, openSnapshot, pull } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature } from "../support/records.js";

const folder = temporaryFolder();
const readAt = new Date("2025-01-01T12:00:00Z");
const after = "2025-02-01";

/** F-1 is not what the log says last; F-2 is; of F-3 the log says nothing. */
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
const codes = (findings: readonly Finding[]) => findings.map(({ code }) => code);
const history = () => source.history({ site_id: 12 });
const grid = { from: "2024-11-01", to: after, every: "month" };

describe("what is to be known of an answer", () => {
  it("is found by every question that takes a time, and gone with the next", async () => {
    const asked = await history();
    const spells = { from: "OPEN", to: "CLOSED" };
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
      ["againstPlan", () => asked.againstPlan("STATUS", { done: "CLOSED", plan: "STATUS", until: after })],
      ["at", () => asked.at([{ id: 1, time: after }], { id: "id", time: "time" })],
    ];
    for (const [name, ask] of questions) {
      const table = ask();
      expect(codes(findingsOf(table)), name).toContain("beyond-reading");
      expect(codes(asked.findings), name).toContain("beyond-reading");
      asked.intervals("STATUS");
      expect(codes(asked.findings), name).not.toContain("beyond-reading");
      // The table keeps what is to be known of it.
      expect(codes(findingsOf(table)), name).toContain("beyond-reading");
    }
    asked.layerAt(after);
    expect(codes(asked.findings)).toContain("beyond-reading");
    asked.counts("STATUS", ["2024-12-31"]);
    expect(codes(asked.findings)).not.toContain("beyond-reading");
  });

  it("counts the dates of a grid that are after the reading; its day is none of them", async () => {
    const asked = await history();
    asked.counts("STATUS", ["2024-12-31", "2025-01-01", "2025-01-02", "2025-01-03"]);
    expect(asked.findings.at(-1)).toMatchObject({
      code: "beyond-reading",
      count: 2,
      message:
        '2 of 4 dates are after the log was read (2025-01-01T12:00:00.000Z), "2025-01-02" among them: their answer is what was known then.',
    });
    asked.counts("STATUS", ["2025-01-01T12:00:00Z"]);
    expect(codes(asked.findings)).not.toContain("beyond-reading");
    asked.counts("STATUS", []);
    expect(codes(asked.findings)).not.toContain("beyond-reading");
  });

  it("stays while a history is shown", async () => {
    const asked = await history();
    asked.asOf(after);
    const shown = (asked as never as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]?.();
    expect(shown?.["text/plain"]).toContain("is after the log was read");
  });
});

describe("a present that is not what the log says last", () => {
  const differs = {
    code: "present-differs",
    count: 2,
    facts: { columns: { STATUS: 1, VOLUME: 1 } },
  };

  it("is a finding, as many cells as reconcile() lists", async () => {
    const asked = await history();
    expect(asked.findings.filter(({ code }) => code === "present-differs")).toMatchObject([differs]);
    expect(asked.reconcile().mismatches.numRows()).toBe(2);
    const [one] = (await source.history({ site_id: 12 }, { columns: ["STATUS"] })).findings.slice(-1);
    expect(one).toMatchObject({ count: 1, facts: { columns: { STATUS: 1 } } });
  });

  it("is none where both agree, and none of what was known earlier", async () => {
    const [, second] = records.layerFeatures;
    const same = fromRecords({ ...records, layerFeatures: second ? [second] : [] }, { readAt });
    expect(codes((await same.history({ site_id: 12 })).findings)).not.toContain("present-differs");
    const asked = await history();
    expect(codes(asked.knownAt(records.propertyChanges[0]?.id ?? "").findings)).not.toContain("present-differs");
    expect(codes(asked.knownAt("ffffffff-ffff-ffff-ffff-ffffffffffff").findings)).toContain("present-differs");
  });

  it("is told by a layer as of now, and not by one as of an earlier time", async () => {
    const asked = await history();
    expect(codes(asked.layerAt(readAt).findings)).toContain("present-differs");
    expect(codes(asked.layerAt("2024-03-31").findings)).not.toContain("present-differs");
  });

  it("is told of a snapshot, and by an engine", async () => {
    await pull(source, join(folder, "differs"), {});
    const snapshot = await openSnapshot(join(folder, "differs"));
    const stored = await snapshot.history({ site_id: 12 });
    expect(stored.findings.filter(({ code }) => code === "present-differs")).toMatchObject([differs]);
    const questions = await snapshot.questions({ site_id: 12 });
    expect((await questions.findings).filter(({ code }) => code === "present-differs")).toMatchObject([differs]);
    const table = await questions.counts("STATUS", ["2999-01-01"]);
    expect(codes(findingsOf(table))).toEqual(["beyond-reading"]);
    expect(codes(await questions.findings)).toContain("beyond-reading");
    await questions.intervals("STATUS");
    expect(codes(await questions.findings)).not.toContain("beyond-reading");
    const early = await questions.knownAt(records.propertyChanges[0]?.id ?? "");
    expect(codes(await early.findings)).not.toContain("present-differs");
    const until = "2024-04-01T00:00:00Z";
    const stays = {
      engine: await questions.durations("STATUS", { until }),
      memory: stored.durations("STATUS", { until }),
    };
    expect(stays.engine.objects()).toEqual(stays.memory.objects());
    expect(stays.memory.objects()).toContainEqual(
      expect.objectContaining({ id: 2, value: "OPEN", days: 0, visits: 1 }),
    );
    await questions.close();
    await snapshot.close();
  });
});
