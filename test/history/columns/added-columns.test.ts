import type { ColumnTable } from "arquero";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import type { History } from "../../../src/layer/layer.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { rowsOf } from "../small-history.js";

const length = uuid(1, "aaaaaaaa");
const day = (text: string) => `2024-${text}T00:00:00Z`;

/** Four trenches; the first two are closed. */
const source = fromRecords(
  {
    layerFeatures: [10, 30, null, 5].map((metres, at) => {
      const properties = { [length]: metres, BLOCK: at === 0 ? "A" : "B", STATUS: at < 2 ? "CLOSED" : "OPEN" };
      return feature(at + 1, { created_at: day("01-01"), properties });
    }),
    datasets: [dataset(1)],
    propertyDefinitions: [definition(length, "Length", { type: "FLOAT", config: { unit: "m" } })],
    propertyChanges: [
      ...[1, 2, 3, 4].map((id) =>
        change(id, { layer_feature_id: id, created_at: day(`01-0${id}`), new_value: "OPEN", property_key: "STATUS" }),
      ),
      change(5, { layer_feature_id: 1, created_at: day("02-01"), new_value: "CLOSED", property_key: "STATUS" }),
      change(6, { layer_feature_id: 2, created_at: day("03-01"), new_value: "CLOSED", property_key: "STATUS" }),
      change(7, { layer_feature_id: 2, created_at: day("03-01"), new_value: "B", property_key: "BLOCK" }),
    ],
  },
  { readAt: new Date("2025-01-01T00:00:00Z") },
);

type Row = Readonly<Record<string, unknown>>;
const crew = (row: Row) => (Number(row["Length"]) > 8 ? `crew ${String(row["BLOCK"])}` : undefined);
const cubic = (row: Row) => (row["Length"] === null ? undefined : Number(row["Length"]) * 2);

const dates = ["2024-01-15", "2024-02-15", "2024-12-31"];
const questions: Readonly<Record<string, (history: History) => ColumnTable>> = {
  "counts by": (history) => history.counts("STATUS", dates, { by: "Crew" }),
  "counts weight": (history) =>
    history.counts("STATUS", dates, { weight: "Volume", credits: { OPEN: 0.2, CLOSED: 1 } }),
  "totals by": (history) => history.totals("Length", dates, { by: "Crew" }),
  "survival by": (history) => history.survival("STATUS", { start: "OPEN", done: "CLOSED", by: "Crew" }),
  "progress by": (history) =>
    history.progress("STATUS", { stages: ["OPEN", "CLOSED"], weight: "Volume", by: "Crew", at: "2024-02-15" }),
  "flow by": (history) => history.flow("STATUS", { done: "CLOSED", every: "quarter", by: ["Crew", "BLOCK"] }),
  "flow due": (history) => history.flow("STATUS", { done: "CLOSED", every: "year", due: "Wanted" }),
  "aging by": (history) => history.aging("STATUS", { open: "OPEN", by: "Crew", due: "Wanted", dates }),
};

async function both(): Promise<readonly [History, History]> {
  const layer = await source.layer({ site_id: 12 });
  const wanted = () => "2024-02-10";
  const before = layer.derive("Crew", crew).derive("Volume", cubic, { unit: "m³" }).derive("Wanted", wanted);
  const after = (await layer.history()).derive("Crew", crew).derive("Volume", cubic, { unit: "m³" });
  return [await before.history(), after.derive("Wanted", wanted)];
}

describe("history.derive()", () => {
  it.each(Object.entries(questions))("equals layer.derive(): %s", async (_, ask) => {
    const [before, after] = await both();
    const expected = rowsOf(ask(before));
    expect(rowsOf(ask(after))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(1);
  });

  it("groups by the values of the function for current rows, including null", async () => {
    const [, history] = await both();
    const flow = history.flow("STATUS", { done: "CLOSED", every: "year", by: "Crew", until: "2024-12-31" });
    expect(rowsOf(flow.select("Crew", "arrivals", "throughput", "open"))).toEqual([
      { Crew: null, arrivals: 2, throughput: 0, open: 2 },
      { Crew: "crew A", arrivals: 1, throughput: 1, open: 0 },
      { Crew: "crew B", arrivals: 1, throughput: 1, open: 0 },
    ]);
    const counts = history.counts("STATUS", ["2024-02-15"], { weight: "Volume" });
    expect(rowsOf(counts.select("value", "quantity", "unit"))).toEqual([
      { value: "CLOSED", quantity: 20, unit: "m³" },
      { value: "OPEN", quantity: 70, unit: "m³" },
    ]);
    expect(counts.columnNames()).not.toContain("Volume");
  });

  it("passes fields, chosen columns and earlier derived columns to the function", async () => {
    const layer = await source.layer({ site_id: 12 });
    const history = await layer.history({ columns: ["STATUS"] });
    const rows: Row[] = [];
    const derived = history.derive("Twice", ({ id }) => Number(id) * 2).derive("Seen", (row) => rows.push(row));
    expect(rows).toHaveLength(4);
    expect(rows[1]).toMatchObject({ id: 2, visible_id: "F-2", STATUS: "CLOSED", Twice: 4 });
    expect(rows[1]).not.toHaveProperty("Length");
    expect(() => history.counts("STATUS", dates, { by: "Twice" })).toThrow(ArgumentError);
    expect(derived.knownAt("2024-02-15T00:00:00Z").counts("STATUS", dates, { by: "Twice" }).numRows()).toBeGreaterThan(
      0,
    );
  });

  it("works for logs of fromChanges()", async () => {
    const rows = [
      { id: "a-1", value: "OPEN", time: day("01-01") },
      { id: "a-1", value: "CLOSED", time: day("01-03") },
      { id: "b-1", value: "OPEN", time: day("01-02") },
    ];
    const history = await fromChanges(rows, {
      ...{ id: "id", property: "STATUS", value: "value", time: "time", readAt: new Date(day("02-01")) },
    });
    const grouped = history.derive("Project", ({ id }) => String(id).slice(0, 1));
    const flow = grouped.flow("STATUS", { done: "CLOSED", by: "Project", every: "month" });
    expect(rowsOf(flow.select("Project", "throughput", "open")).slice(0, 2)).toEqual([
      { Project: "a", throughput: 1, open: 0 },
      { Project: "b", throughput: 0, open: 1 },
    ]);
  });

  it.each<[readonly unknown[], string]>([
    [["", () => 1], "derive() needs a name and a function of a row"],
    [["Crew", "BLOCK"], "derive() needs a name and a function of a row"],
    [["STATUS", () => 1], 'the history already has a column "STATUS"'],
    [["id", () => 1], 'the history already has a column "id"'],
    [["Crew", () => 1, { units: "m" }], "has no option"],
  ])("refuses %j", async (given, message) => {
    const history = await source.history({ site_id: 12 });
    const derive = () => Reflect.apply(history.derive, history, given) as unknown;
    expect(derive).toThrow(ArgumentError);
    expect(derive).toThrow(message);
    const once = history.derive("Crew", crew);
    expect(() => once.derive("Crew", crew)).toThrow("already");
  });
});
