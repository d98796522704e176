import { from } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type History } from "../../../src/index.js";
import { cumulativeFlow, type Figure, Plot, plot } from "../../../src/plot/index.js";
import { change, dataset, feature } from "../../support/records.js";

const stages = ["OPEN", "IN_PROGRESS", "BLOCKED", "CLOSED"];

describe("colours of a property in marks of one's own", () => {
  let history: History;

  beforeAll(async () => {
    const layerFeatures = stages.map((STATUS, at) =>
      feature(at + 1, {
        created_at: "2024-01-01T00:00:00Z",
        properties: { STATUS, PRIORITY: ["URGENT", "LOW"][at % 2], Crew: ["b", "a"][at % 2] },
        geometry: null,
      }),
    );
    const propertyChanges = stages.flatMap((_, at) =>
      stages.slice(0, at + 1).map((new_value, step) =>
        change(10 * at + step + 1, {
          layer_feature_id: at + 1,
          created_at: new Date(Date.UTC(2024, 1, 1 + step)).toISOString(),
          new_value,
        }),
      ),
    );
    const source = fromRecords(
      { layerFeatures, propertyChanges, datasets: [dataset(1)] },
      { readAt: new Date("2024-06-01T00:00:00Z") },
    );
    history = await source.history({ site_id: 12 });
  });

  const coloursOf = (figure: Figure) => {
    const { domain = [], range = [] } = figure.scale("color") ?? {};
    return Object.fromEntries([...domain].map((label, place) => [label, [...range][place]]));
  };

  it("are those of other figures, in the order of the log", () => {
    const table = history.asOf("2024-05-01");
    const colours = coloursOf(cumulativeFlow(history, "STATUS"));
    for (const marks of [
      [Plot.dot(table, { x: "id", fill: "STATUS" })],
      [[Plot.barX(table, Plot.groupY({ x: "count" }, { y: "STATUS", fill: "STATUS" })), Plot.ruleX([0])]],
      [null, Plot.tickX(table, { x: "id", stroke: "STATUS" })],
    ]) {
      const figure = plot({ marks });
      expect([...(figure.scale("color")?.domain ?? [])]).toEqual(stages);
      expect(coloursOf(figure)).toEqual(colours);
    }
  });

  it("tell how important something is, and are Plot's own of other values", () => {
    const table = history.asOf("2024-05-01");
    const colour = (fill: string, data: object = table) =>
      plot({ marks: [Plot.dot(data as typeof table, { x: "id", fill })] }).scale("color");
    expect([...(colour("PRIORITY")?.domain ?? [])]).toEqual(["LOW", "URGENT"]);
    const own = (fill: string) => Plot.dot(table.objects(), { x: "id", fill });
    for (const name of ["Crew", "id"]) {
      const { domain, range } = plot({ marks: [own(name)] }).scale("color") ?? {};
      expect(colour(name)).toMatchObject({ domain, range });
    }
    // Not a table of ours.
    expect([...(colour("STATUS", from(table.objects()))?.domain ?? [])]).toEqual(stages.toSorted());
  });

  it("are what the user says", () => {
    const marks = [Plot.dot(history.asOf("2024-05-01"), { x: "id", fill: "STATUS" })];
    const rangeOf = (color: object) => [...(plot({ marks, color }).scale("color")?.range ?? [])];
    const ours = rangeOf({});
    expect(rangeOf({ legend: true })).toEqual(ours);
    expect(rangeOf({ scheme: "greys" })).not.toEqual(ours);
    expect(rangeOf({ range: ["red", "blue"] })).toEqual(["red", "blue"]);
  });
});
