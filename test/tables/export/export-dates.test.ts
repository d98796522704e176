import { Type } from "@uwdata/flechette";
import { type ColumnTable, op, table as tableOf } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { fromRecords, toArrow } from "../../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const days = ["2024-03-01", "2024-03-02", "2024-03-03"];
const crews = tableOf({ value: ["OPEN", "DONE"], crew: ["A", "B"] });

/** Verbs whose result has a column of dates, and its name. */
const verbs: Readonly<Record<string, readonly [column: string, (table: ColumnTable) => ColumnTable]>> = {
  "no verb": ["date", (table) => table],
  "groupby and count": ["date", (table) => table.groupby("date").count()],
  "groupby and rollup": ["date", (table) => table.groupby("date").rollup({ sum: op.sum("count") })],
  "groupby and pivot": ["date", (table) => table.groupby("date").pivot("value", "count")],
  "filter and reify": ["date", (table) => table.filter("d => d.count > 0").reify()],
  join_left: ["date", (table) => table.join_left(crews, "value")],
  "join from the right": ["date", (table) => crews.join(table, "value")],
  "join with another name": ["date_2", (table) => table.join(table, "value")],
  lookup: ["date", (table) => crews.lookup(table, ["value", "value"], "date")],
  concat: ["date", (table) => table.concat(table)],
  union: ["date", (table) => table.union(table)],
  dedupe: ["date", (table) => table.dedupe("date")],
  assign: ["date", (table) => tableOf({ row: Array.from({ length: table.numRows() }) }).assign(table)],
  sample: ["date", (table) => table.sample(2)],
  derive: ["day", (table) => table.derive({ day: "d => d.date" })],
  "derive of a name that exists": ["date", (table) => table.derive({ date: (row) => row["date"] })],
  "rollup of dates": ["first", (table) => table.rollup({ first: op.min("date") })],
  fold: ["value", (table) => table.select("date", "count").fold("date")],
  unroll: ["date", (table) => table.derive({ two: () => [1, 2] }).unroll("two")],
  impute: ["date", (table) => table.impute({ date: () => "2024-01-01" })],
  "impute with new rows": ["date", (table) => table.impute({ count: () => 0 }, { expand: ["date", "value"] })],
};

describe("dates of counts", () => {
  let counts: ColumnTable;

  beforeAll(async () => {
    const history = await fromRecords(
      {
        datasets: [],
        layerFeatures: [feature(1, { created_at: "2024-01-01T00:00:00Z" })],
        propertyChanges: [change(1, { created_at: "2024-02-01T00:00:00Z" })],
      },
      { readAt: new Date("2024-04-01T00:00:00Z") },
    ).history({ site_id: 12 });
    counts = history.counts("STATUS", days);
  });

  test.each(Object.entries(verbs))("are dates in exports after %s", async (_, [column, verb]) => {
    const arrow = await toArrow(verb(counts));
    expect(arrow.schema.fields.find(({ name }) => name === column)?.type.typeId).toBe(Type.Date);
  });

  test("become strings if a verb changes them", async () => {
    const arrow = await toArrow(
      counts.derive({ date: (row) => String(row["date"]).slice(0, 7), next: (row) => `${row["date"]}!` }),
    );
    expect(arrow.schema.fields.map(({ type }) => type.typeId)).not.toContain(Type.Date);
    expect(arrow.getChild("date")?.get(0)).toBe("2024-03");
  });
});

test("columns of a layer keep their types after verbs that copy values", async () => {
  const [due, seen] = [uuid(1, "aaaaaaaa"), uuid(2, "aaaaaaaa")];
  const layer = await fromRecords(
    {
      datasets: [dataset(1)],
      layerFeatures: ["2024-03-01", "soon", null].map((value, index) =>
        feature(index + 1, { properties: { [due]: value, [seen]: value && "2024-03-01T08:00:00Z" } }),
      ),
      propertyDefinitions: [definition(due, "Due", { type: "DATE" }), definition(seen, "Seen", { type: "DATETIME" })],
    },
    { readAt: new Date("2024-04-01T00:00:00Z") },
  ).layer({ site_id: 12 });
  const typesOf = async (table: ColumnTable) => {
    const { fields } = (await toArrow(table)).schema;
    return ["Due", "Seen"].map((column) => fields.find(({ name }) => name === column)?.type.typeId);
  };
  const both = [Type.Date, Type.Timestamp];
  expect(await typesOf(layer.table.reify())).toEqual(both);
  expect(await typesOf(layer.table.groupby("Due", "Seen").count())).toEqual(both);
  expect(await typesOf(layer.table.filter("d => d.Due === null").reify())).toEqual(both);
  // One string is not a date. A copy loses it, like every export of the layer; a computed column keeps it.
  const computed = layer.table.derive({ Due: (row) => row["Due"] });
  expect(await typesOf(computed)).toEqual([Type.Utf8, Type.Timestamp]);
});
