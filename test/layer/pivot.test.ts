import { desc, op } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type History, type Layer } from "../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const [stage, code] = [uuid(1), uuid(2)];
const stages = ["planned", "PILES", "modules", "done"];

describe("pivot()", () => {
  let layer: Layer;
  let history: History;

  beforeAll(async () => {
    const options = stages.map((value) => ({ value }));
    const labels = [
      { value: 2, label: "major" },
      { value: 1, label: "minor" },
    ];
    const of = (id: number, now: string, severity: number) =>
      feature(id, { properties: { [stage]: now, [code]: severity }, created_at: "2024-01-01T00:00:00Z" });
    const source = fromRecords({
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(stage, "Stage", { type: "OPTION", config: { options } as never }),
        definition(code, "Severity", { type: "OPTION", config: { options: labels } as never }),
      ],
      layerFeatures: [of(1, "done", 1), of(2, "PILES", 2), of(3, "another", 1), of(4, "planned", 2)],
      propertyChanges: ["modules", "done"].map((new_value, month) =>
        change(month + 1, {
          layer_feature_id: 1,
          property_key: stage,
          new_value,
          created_at: `2024-0${month + 2}-01T00:00:00Z`,
        }),
      ),
    } as never);
    layer = await source.layer({ site_id: 12, semantic_type: "TRENCHES" });
    history = await layer.history();
  });

  it("has the columns of values in the order of the definition, others after them", () => {
    const counts = layer.table.groupby("Severity", "Stage").count().groupby("Severity").pivot("Stage", "count");
    expect(counts.columnNames()).toEqual(["Severity", "planned", "PILES", "done", "another"]);
    const byCode = layer.table.groupby("Stage", "Severity").count().groupby("Stage").pivot("Severity", "count");
    expect(byCode.columnNames()).toEqual(["Stage", "2", "1"]);
    expect(byCode.objects()).toContainEqual({ Stage: "done", "2": undefined, "1": 1 });
  });

  it("has several values side by side, each in that order", () => {
    const table = layer.table.pivot("Stage", { least: op.min("id"), most: op.max("id") });
    expect(table.columnNames()).toEqual(
      ["least", "most"].flatMap((name) => ["planned", "PILES", "done", "another"].map((value) => `${name}_${value}`)),
    );
    expect(table.object()).toMatchObject({ least_done: 1, most_PILES: 2 });
  });

  it("has the values of what a history tells of a column in that order", () => {
    const dates = { from: "2024-02-01", to: "2024-04-01", every: "month" } as const;
    const table = history.counts("Stage", dates).groupby("date").pivot("value", "count");
    expect(table.columnNames()).toEqual(["date", "planned", "PILES", "modules", "done", "another"]);
    const changes = history.transitions("Stage").groupby("from").pivot("to", "count");
    expect(changes.columnNames().slice(1)).toEqual(["done"]);
  });

  it("has the rows of one grouping in that order, unless the table has another", () => {
    const dates = ["2024-02-01", "2024-04-01"];
    const counts = history.counts("Stage", dates).groupby("value");
    expect(counts.pivot("date", "count").array("value")).toEqual(["planned", "PILES", "modules", "done", "another"]);
    const ordered = layer.table
      .orderby(desc("id"))
      .groupby("Stage")
      .pivot("Severity", { least: op.min("id") });
    expect(ordered.numRows()).toBe(4);
  });

  it("is Arquero's where another order is asked for, and of other columns", () => {
    const ordered = layer.table.orderby(desc("id"));
    expect(ordered.pivot("Stage", "id", { sort: false }).columnNames()).toEqual([
      "planned",
      "another",
      "PILES",
      "done",
    ]);
    expect(ordered.pivot("Stage", "id", { sort: true }).columnNames()).toEqual(["PILES", "another", "done", "planned"]);
    expect(ordered.pivot("id", "Stage").columnNames()).toEqual(["1", "2", "3", "4"]);
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
        stages.slice(0, at + 2).map((new_value, month) =>
          change(10 * at + month + 1, {
            layer_feature_id: at + 1,
            property_key: status,
            new_value,
            created_at: `2024-0${month + 2}-01T00:00:00Z`,
          }),
        ),
      ),
    } as never);
    const layer = await source.layer({ site_id: 12, semantic_type: "TRENCHES" });
    return { layer, history: await layer.history() };
  }

  it("has the order of the log where a history knows it, as legends have", async () => {
    const { history } = await roads();
    const dates = { from: "2024-02-01", to: "2024-06-01", every: "month" } as const;
    const counts = history.counts("Stage", dates);
    const { findings } = history;
    expect(counts.groupby("date").pivot("value", "count").columnNames().slice(1)).toEqual(stages);
    expect(counts.groupby("value").pivot("date", "count").array("value")).toEqual(stages);
    expect(history.findings).toEqual(findings);
    const now = history.asOf("2024-06-01").groupby("Urgency").pivot("Stage", { rows: op.count() });
    expect(now.columnNames().slice(1)).toEqual(["CLEARED", "ASPHALT", "BEACONS"]);
  });

  it("has the order of the words where a layer is alone", async () => {
    const { layer } = await roads();
    const counts = layer.table.groupby("Urgency").pivot("Stage", { rows: op.count() });
    expect(counts.array("Urgency")).toEqual(["LOW", "MEDIUM", "HIGH"]);
    expect(counts.columnNames().slice(1)).toEqual(["ASPHALT", "BEACONS", "CLEARED"]);
    expect(layer.table.pivot("Urgency", { rows: op.count() }).columnNames()).toEqual(["LOW", "MEDIUM", "HIGH"]);
  });
});
