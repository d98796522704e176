import { desc, op } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type History, type Layer } from "../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const [stage, code] = [uuid(1), uuid(2)];
const stages = ["planned", "PILES", "modules", "done"];

/** A change on the first day of a month; month 0 is February 2024. */
function staged(property_key: string, layer_feature_id: number, month: number, new_value: string) {
  const created_at = `2024-0${month + 2}-01T00:00:00Z`;
  return change(10 * layer_feature_id + month, { layer_feature_id, property_key, new_value, created_at });
}

describe("pivot()", () => {
  let layer: Layer;
  let history: History;

  beforeAll(async () => {
    const options = stages.map((value) => ({ value }));
    const labels = ["minor", "major"].map((label, n) => ({ value: n + 1, label })).toReversed();
    const of = (id: number, now: string, severity: number) =>
      feature(id, { properties: { [stage]: now, [code]: severity }, created_at: "2024-01-01T00:00:00Z" });
    const source = fromRecords({
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(stage, "Stage", { type: "OPTION", config: { options } as never }),
        definition(code, "Severity", { type: "OPTION", config: { options: labels } as never }),
      ],
      layerFeatures: [of(1, "done", 1), of(2, "PILES", 2), of(3, "another", 1), of(4, "planned", 2)],
      propertyChanges: ["modules", "done"].map((value, month) => staged(stage, 1, month, value)),
    } as never);
    layer = await source.layer({ site_id: 12, semantic_type: "TRENCHES" });
    history = await layer.history();
  });

  it("has columns in the order of the definition, then other values", () => {
    const counts = layer.table.groupby("Severity", "Stage").count().groupby("Severity").pivot("Stage", "count");
    expect(counts.columnNames()).toEqual(["Severity", "planned", "PILES", "done", "another"]);
    const byCode = layer.table.groupby("Stage", "Severity").count().groupby("Stage").pivot("Severity", "count");
    expect(byCode.columnNames()).toEqual(["Stage", "2", "1"]);
    expect(byCode.objects()).toContainEqual({ Stage: "done", "2": undefined, "1": 1 });
  });

  it("has several values, each in that order", () => {
    const table = layer.table.pivot("Stage", { least: op.min("id"), most: op.max("id") });
    expect(table.columnNames()).toEqual(
      ["least", "most"].flatMap((name) => ["planned", "PILES", "done", "another"].map((value) => `${name}_${value}`)),
    );
    expect(table.object()).toMatchObject({ least_done: 1, most_PILES: 2 });
  });

  it("has values of history tables in that order", () => {
    const dates = { from: "2024-02-01", until: "2024-04-01", every: "month" } as const;
    const table = history.counts("Stage", dates).groupby("date").pivot("value", "count");
    expect(table.columnNames()).toEqual(["date", "planned", "PILES", "modules", "done", "another"]);
    const changes = history.transitions("Stage").groupby("from").pivot("to", "count");
    expect(changes.columnNames().slice(1)).toEqual(["done"]);
  });

  it("has the rows of one grouping in that order", () => {
    const dates = ["2024-02-01", "2024-04-01"];
    const counts = history.counts("Stage", dates).groupby("value");
    expect(counts.pivot("date", "count").array("value")).toEqual(["planned", "PILES", "modules", "done", "another"]);
  });

  it("is Arquero's with `sort`, and for other columns", () => {
    const ordered = layer.table.orderby(desc("id"));
    const names = (...given: readonly unknown[]) =>
      (Reflect.apply(ordered.pivot, ordered, given) as typeof ordered).columnNames();
    expect(names("Stage", "id", { sort: false })).toEqual(["planned", "another", "PILES", "done"]);
    expect(names("Stage", "id", { sort: true })).toEqual(["PILES", "another", "done", "planned"]);
    expect(names("id", "Stage")).toEqual(["1", "2", "3", "4"]);
  });
});

describe("pivot() of columns without options", () => {
  const [status, priority] = [uuid(3), uuid(4)];
  const stages = ["SURVEYED", "CLEARED", "ASPHALT", "BEACONS"];

  async function roads() {
    const source = fromRecords({
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(status, "Stage", { type: "TEXT" }),
        definition(priority, "Urgency", { type: "TEXT" }),
      ],
      layerFeatures: ["HIGH", "LOW", "MEDIUM"].map((urgency, at) =>
        feature(at + 1, {
          properties: { [status]: stages[at + 1] ?? null, [priority]: urgency },
          created_at: "2024-01-01T00:00:00Z",
        }),
      ),
      propertyChanges: [0, 1, 2].flatMap((at) =>
        stages.slice(0, at + 2).map((value, month) => staged(status, at + 1, month, value)),
      ),
    } as never);
    const layer = await source.layer({ site_id: 12, semantic_type: "TRENCHES" });
    return { layer, history: await layer.history() };
  }

  it("has the order of the log, as in legends", async () => {
    const { history } = await roads();
    const dates = { from: "2024-02-01", until: "2024-06-01", every: "month" } as const;
    const counts = history.counts("Stage", dates);
    const { diagnostics } = history;
    expect(counts.groupby("date").pivot("value", "count").columnNames().slice(1)).toEqual(stages);
    expect(counts.groupby("value").pivot("date", "count").array("value")).toEqual(stages);
    expect(history.diagnostics).toEqual(diagnostics);
    const now = history.asOf("2024-06-01").groupby("Urgency").pivot("Stage", { rows: op.count() });
    expect(now.columnNames().slice(1)).toEqual(["CLEARED", "ASPHALT", "BEACONS"]);
  });

  it("has the order of words for a layer without a history", async () => {
    const { layer } = await roads();
    const counts = layer.table.groupby("Urgency").pivot("Stage", { rows: op.count() });
    expect(counts.array("Urgency")).toEqual(["LOW", "MEDIUM", "HIGH"]);
    expect(counts.columnNames().slice(1)).toEqual(["ASPHALT", "BEACONS", "CLEARED"]);
    expect(layer.table.pivot("Urgency", { rows: op.count() }).columnNames()).toEqual(["LOW", "MEDIUM", "HIGH"]);
  });
});
