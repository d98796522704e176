import { table } from "arquero";
import { describe, expect, it } from "vitest";
import { burnDown } from "../../../src/plot/charts/burn-down.js";
import { cumulativeFlow } from "../../../src/plot/charts/cumulative-flow.js";
import { pareto } from "../../../src/plot/charts/pareto.js";
import { sCurve } from "../../../src/plot/charts/s-curve.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const length = uuid(1, "aaaaaaaa");

/** Trenches of 10 m, 30 m and unknown length. The first was closed on 1 March 2024. */
function trenches() {
  return trenchSource().history({ site_id: 12 });
}

function trenchSource() {
  const opened = [1, 2, 3].map((id) =>
    change(id, { layer_feature_id: id, created_at: "2024-01-01T00:00:00Z", new_value: "OPEN" }),
  );
  return fromRecords(
    {
      layerFeatures: [10, 30, null].map((value, at) =>
        feature(at + 1, { created_at: "2024-01-01T00:00:00Z", properties: { [length]: value } }),
      ),
      datasets: [dataset(1)],
      propertyDefinitions: [definition(length, "Length", { type: "FLOAT", config: { unit: "m" } })],
      propertyChanges: [...opened, change(4, { created_at: "2024-03-01T00:00:00Z", new_value: "CLOSED" })],
    },
    { readAt: new Date("2025-01-01T00:00:00Z") },
  );
}

const credits = { OPEN: 0.2, CLOSED: 1 };
const dates = ["2024-02-01", "2024-03-02"];
const missing = '1 feature has no "Length", such as id 3, and is excluded from all quantities.';

describe("charts of quantities", () => {
  it("show the unit on axes and in texts, and features without weight", async () => {
    const history = await trenches();
    const left = burnDown(history, "STATUS", { weight: "Length", dates }).outerHTML;
    expect(left).toContain(
      "Line chart of m not done by STATUS: 40 on 2024-02-01, at most 40 on 2024-02-01, 30 on 2024-03-02.",
    );
    expect(left).toContain("m whose status is not Closed");
    expect(left.replaceAll("&quot;", '"')).toContain(missing);
    const flow = cumulativeFlow(history, "STATUS", { weight: "Length", dates }).outerHTML;
    expect(flow).toContain(
      "Stacked areas of m by STATUS from 2024-02-01 to 2024-03-02; at the end: OPEN 30, CLOSED 10.",
    );
    const curve = sCurve(history, "STATUS", { weight: "Length", stages: ["OPEN", "CLOSED"], dates }).outerHTML;
    expect(curve).toContain("on 2024-03-02: CLOSED 25%.");
    expect(curve).toContain("Share of 40 m that have reached each status");
    expect(curve).toContain("% of m");
    for (const html of [left, flow, curve]) expect(html).not.toContain("% of features");
  });

  it("draw earned quantities, and compare them with the plan", async () => {
    const history = await trenches();
    const plan = table({ date: ["2024-02-01", "2024-03-02"], value: [0, 40] });
    const options = { weight: "Length", credits, dates, until: "2024-03-02" } as const;
    const curve = sCurve(history, "STATUS", { ...options, stages: ["OPEN", "CLOSED"], plan }).outerHTML;
    // 10 m closed and a fifth of 30 m.
    expect(curve).toContain("earned 40%");
    expect(curve).toContain("On 2024-03-02 40.0% are done and 100.0% are planned: 60.0 points");
    expect(burnDown(history, "STATUS", options).outerHTML).toContain(
      "Line chart of m not earned by STATUS: 32 on 2024-02-01",
    );
    expect(cumulativeFlow(history, "STATUS", { weight: "Length", credits, dates }).outerHTML).toContain("earned");
    expect(() => burnDown(history, "STATUS", { ...options, done: ["CLOSED"] })).toThrow(
      "`done` and `credits` cannot be combined",
    );
    expect(() => sCurve(history, "STATUS", { ...options, credits: { OPEN: 0, CLOSD: 1 } })).toThrow(
      'credits: no feature ever had "CLOSD" in "STATUS".',
    );
  });

  it("accept the quantities of a table", async () => {
    const history = await trenches();
    const counts = history.counts("STATUS", dates, { weight: "Length" });
    expect(cumulativeFlow(counts, "STATUS", { weight: "quantity" }).outerHTML).toContain(
      "Stacked areas of m by STATUS",
    );
    expect(() => cumulativeFlow(counts, "STATUS", { weight: () => 1 })).toThrow("must be a column name for a table");
  });

  it("show the unit of a layer's column by default", async () => {
    const layer = await trenchSource().layer({ site_id: 12 });
    const losses = pareto(layer, { by: "visible_id", measure: "Length" });
    expect(losses.toSVG()).toContain("40 m; line: cumulative share");
    expect(losses.scale("x")?.domain).toEqual([0, 40]);
    expect(pareto(layer, { by: "visible_id", measure: "Length", unit: "metres" }).toSVG()).toContain("40 metres;");
    const filtered = layer.table.filter("d => d.Length > 10");
    expect(pareto(filtered, { by: "visible_id", measure: "Length" }).toSVG()).toContain("30 m;");
  });
});
