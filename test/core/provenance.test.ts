import { desc, table } from "arquero";
import { describe, expect, test } from "vitest";
import { sampleCompany } from "../../sample/sample-company.js";
import { fromRecords, provenanceOf } from "../../src/index.js";

const readAt = new Date("2025-06-30T12:00:00Z");

async function sampleLayer() {
  const company = sampleCompany({ features: 1000 });
  const records = {
    ...company,
    layerFeatures: [...company.layerFeatures()],
    propertyChanges: [...company.propertyChanges()],
  };
  return fromRecords(records, { readAt }).layer({ semantic_type: "PUNCH_LIST_ITEMS" });
}

const expected = { origin: { kind: "memory", name: "records" }, readAt };

describe("provenanceOf", () => {
  test("follows a table through Arquero's verbs", async () => {
    const { table: tickets } = await sampleLayer();
    const derived = [
      tickets,
      tickets.filter("d => d.id > 0"),
      tickets.groupby("STATUS").count(),
      tickets.derive({ twice: "d => 2 * d.id" }),
      tickets.orderby(desc("id")).select("id").slice(0, 2).reify(),
      tickets.join(table({ id: tickets.array("id"), other: tickets.array("id") })),
      tickets.fold("id").rename({ value: "number" }).dedupe("key").ungroup(),
      tickets.concat(table({ id: [1] })),
      tickets.assign(table({ extra: tickets.array("id") })),
    ];
    for (const one of derived) expect(provenanceOf(one)).toEqual(expected);
  });

  test("is set for every table of a history", async () => {
    const history = await (await sampleLayer()).history();
    const grid = { from: "2024-01-01", until: "2024-06-01", every: "month" } as const;
    const derived = [
      history,
      history.knownAt("2024-06-01"),
      history.changes(),
      history.states("2024-06-01"),
      history.panel(grid),
      history.counts("STATUS", grid),
      history.totals("PROGRESS", grid),
      history.intervals("STATUS"),
      history.durations("STATUS"),
      history.transitions("STATUS"),
      history.steps("STATUS"),
      history.joinAsOf(history.steps("STATUS"), { id: "id", time: "changed_at_us" }),
      history.diff("2024-01-01", "2024-06-01"),
      history.lateEdits(),
      history.causeTrees(),
      history.reconcile(),
      history.reconcile().mismatches,
      history.editsByUser(),
      history.editsByUser().hours,
    ];
    for (const one of derived) expect(provenanceOf(one)).toEqual(expected);
  });

  test("has the date of tables and layers as of a date", async () => {
    const history = await (await sampleLayer()).history();
    const layer = history.layerAsOf("2024-06-01");
    const derived = [history.asOf("2024-06-01"), layer, layer.table.filter("d => d.id > 0"), layer.describe()];
    for (const one of derived) expect(provenanceOf(one)).toEqual({ ...expected, asOf: "2024-06-01" });
  });

  test("is undefined for other values", () => {
    for (const value of [undefined, null, 1, "text", {}, { provenance: 1 }, { provenance: { origin: 1 } }, table({})])
      expect(provenanceOf(value)).toBeUndefined();
  });
});
