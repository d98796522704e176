import { type ColumnTable, op, table as tableOf } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { fromRecords, toArrow, toCSV } from "../../../src/index.js";
import { feature } from "../../support/records.js";

const texts = [1, 2, 3].map((id) => `2024-03-01T08:00:0${id}.123456Z`);
const others = tableOf({ id: [1, 2, 3], crew: ["A", "B", "A"] });

const verbs: Readonly<Record<string, (table: ColumnTable) => ColumnTable>> = {
  "no verb": (table) => table,
  select: (table) => table.select("created_at"),
  filter: (table) => table.filter("d => d.id > 0"),
  reify: (table) => table.filter("d => d.id > 0").reify(),
  "groupby and rollup": (table) => table.groupby("created_at").rollup({ count: op.count() }),
  join: (table) => table.join(others, "id"),
  lookup: (table) => others.lookup(table, ["id", "id"], "created_at"),
  concat: (table) => table.filter("d => d.id === 1").concat(table.filter("d => d.id > 1")),
  "fold and select": (table) => table.fold(["created_at"]).select({ value: "created_at" }),
  assign: (table) => others.assign(table.select("created_at")),
  "derive of the same values": (table) => table.derive({ created_at: (row) => row["created_at"] }),
};

describe("times of a past table", () => {
  let past: ColumnTable;

  beforeAll(async () => {
    const layerFeatures = texts.map((created_at, index) => feature(index + 1, { created_at }));
    const history = await fromRecords(
      { datasets: [], layerFeatures, propertyChanges: [] },
      { readAt: new Date("2024-04-01T00:00:00Z") },
    ).history({ site_id: 12 });
    past = history.asOf("2024-03-20");
  });

  test.each(Object.entries(verbs))("are exported to the microsecond after %s", async (_, verb) => {
    const table = verb(past);
    const arrow = await toArrow(table);
    const field = arrow.schema.fields.find((one) => one.name === "created_at");
    expect(field?.type).toMatchObject({ unit: 2, timezone: "UTC" });
    expect([...(arrow.getChild("created_at") ?? [])]).toEqual(texts.map((text) => Date.parse(text) + 0.456));
    const csv = await toCSV(table.select("created_at"));
    expect(csv.trim().split("\r\n")).toEqual(["created_at", ...texts]);
  });
});
