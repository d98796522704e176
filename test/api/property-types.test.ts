import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@uwdata/flechette";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { axisOf, type PropertyType, propertyRule, propertyTypes } from "../../src/api/property-types.js";
import { fromRecords, type Layer, openSnapshot, pull, type Snapshot } from "../../src/index.js";
import { arqueroView } from "../../src/tables/display/html/table-view.js";
import { tablePayload } from "../../src/tables/display/table-bundle.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbJson } from "../support/duckdb-rows.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

/** A value of a type, and the same value in every output. */
interface Written {
  readonly value: unknown;
  readonly csv: string;
  readonly sql: readonly [type: string, json: unknown];
  readonly arrow: string;
  readonly xlsx: string;
  readonly danfo: readonly [dtype: string, value: unknown];
  readonly embedded: readonly [kind: string, values: readonly unknown[]];
}

const text = {
  ...{ value: "a", csv: "a", sql: ["VARCHAR", "a"], arrow: "Utf8", xlsx: "s a", danfo: ["string", "a"] },
  embedded: ["text", ["a"]],
} as const satisfies Written;
const number = {
  ...{ value: 1.5, csv: "1.5", sql: ["DOUBLE", 1.5], arrow: "Float", xlsx: "n 1.5", danfo: ["float32", 1.5] },
  embedded: ["number", [1.5]],
} as const satisfies Written;
const integer = {
  ...{ value: 7, csv: "7", sql: ["BIGINT", "7"], arrow: "Int", xlsx: "n 7", danfo: ["float32", 7] },
  embedded: ["number", [7]],
} as const satisfies Written;
const instant = {
  value: new Date("2024-06-30T12:00:00Z"),
  csv: "2024-06-30T12:00:00.000Z",
  sql: ["TIMESTAMP WITH TIME ZONE", "2024-06-30 12:00:00+00"],
  arrow: "Timestamp",
  xlsx: "n 45473.5",
  danfo: ["string", "2024-06-30T12:00:00.000Z"],
  // In minutes since 1970.
  embedded: ["date", [Date.parse("2024-06-30T12:00:00Z") / 60_000]],
} as const satisfies Written;

const written: Readonly<Record<PropertyType, Written>> = {
  INTEGER: integer,
  FLOAT: number,
  DOUBLE: number,
  NUMBER: number,
  DECIMAL: number,
  CURRENCY: number,
  PERCENT: number,
  BOOLEAN: {
    ...{ value: true, csv: "true", sql: ["BOOLEAN", true], arrow: "Bool", xlsx: "b 1", danfo: ["string", true] },
    embedded: ["text", ["true"]],
  },
  DATE: {
    value: "2024-06-30",
    csv: "2024-06-30",
    sql: ["DATE", "2024-06-30"],
    arrow: "Date",
    xlsx: "n 45473",
    danfo: ["string", "2024-06-30"],
    embedded: ["date", ["2024-06-30"]],
  },
  DATETIME: instant,
  TIMESTAMP: instant,
  STRING: text,
  TEXT: text,
  OPTION: text,
  RELATIONSHIP: integer,
};

const types = Object.keys(propertyTypes) as PropertyType[];
const keys = new Map(types.map((type, n) => [type, uuid(n, "aaaaaaaa")]));
const keyOf = (type: PropertyType) => keys.get(type) as string;
const folder = temporaryFolder();

/** The value of a type in a record, of which an instant has another form in tables. */
function received(type: PropertyType): unknown {
  const { value } = written[type];
  return value instanceof Date ? "2024-06-30T14:00:00+02:00" : value;
}

/** A feature with a value of each type, and a feature with none. */
const source = fromRecords({
  sites: [site(1)],
  datasets: [dataset(1, { site_id: 1 })],
  propertyDefinitions: types.map((type) => definition(keyOf(type), type, { type })),
  layerFeatures: [1, 2].map((id) =>
    feature(id, {
      site_id: 1,
      properties: Object.fromEntries(types.map((type) => [keyOf(type), id === 1 ? received(type) : null])),
    }),
  ),
  propertyChanges: types.map((type, n) =>
    change(n, {
      property_key: keyOf(type),
      new_value: received(type),
      created_at: "2024-02-01T00:00:00Z",
    }),
  ),
});

/** The value of each type in every output of a layer. */
async function outputs(layer: Layer, name: string): Promise<Readonly<Record<string, Written>>> {
  const path = (ending: string) => join(folder, `${name}.${ending}`);
  await layer.toParquet({ path: path("parquet") });
  await layer.toXLSX({ path: path("xlsx") });
  const [csv, sql, arrow, xlsx, danfo] = [
    ((await layer.toCSV()).split("\r\n")[1] ?? "").split(","),
    await parquetRow(path("parquet")),
    await layer.toArrow(),
    await sheetRow(path("xlsx")),
    await layer.toDanfo(),
  ];
  const { values } = danfo as unknown as { readonly values: readonly (readonly unknown[])[] };
  const names = layer.table.columnNames();
  const found = types.map((type) => {
    const at = names.indexOf(type);
    const typeId = arrow.schema.fields.find((field) => field.name === type)?.type.typeId;
    return [
      type,
      {
        value: layer.table.get(type, 0),
        csv: csv[at],
        sql: sql.get(type),
        arrow: Object.entries(Type).find(([, id]) => id === typeId)?.[0],
        xlsx: xlsx.get(String.fromCharCode(65 + at)),
        danfo: [danfo.dtypes[at], values[0]?.[at]],
        embedded: embedded(layer, type),
      },
    ] as const;
  });
  return Object.fromEntries(found) as Readonly<Record<string, Written>>;
}

/** Type and value of each column in the first row of a file. */
async function parquetRow(path: string): Promise<ReadonlyMap<unknown, readonly unknown[]>> {
  const [row = []] = await duckdbJson(`SELECT * FROM '${path}' ORDER BY id`);
  const described = await duckdbJson(`SELECT column_name, column_type FROM (DESCRIBE FROM '${path}')`);
  return new Map(described.map(([column, type], at) => [column, [type, row[at]]]));
}

/** Type and text of each cell in the first row of a workbook, by column letter. */
async function sheetRow(path: string): Promise<ReadonlyMap<string, string>> {
  const files = unzipSync(await readFile(path));
  const part = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const shared = [...part("xl/sharedStrings.xml").matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, one]) => one);
  const cells = part("xl/worksheets/sheet1.xml").matchAll(/<c r="([A-Z]+)2"(?:[^>]* t="(\w)")?[^>]*><v>([^<]*)<\/v>/g);
  return new Map(
    Array.from(cells, ([, column = "", type = "n", value = ""]) => [
      column,
      `${type} ${type === "s" ? shared[Number(value)] : value}`,
    ]),
  );
}

/** Kind and values of a column in a page without a kernel. */
function embedded({ table }: Layer, type: string): readonly [string | undefined, readonly unknown[]] {
  const view = arqueroView(table);
  const columns = view.columns.filter((column) => column.name === type).map((column) => ({ ...column, type }));
  const [cell] = tablePayload({ ...view, columns }, { rows: 2, columns }).cells;
  if (cell?.odd) return [cell.kind, cell.odd.map(([, shown]) => shown)];
  const values: readonly unknown[] = cell ? ("texts" in cell ? cell.texts : cell.numbers) : [];
  return [cell?.kind, values.filter((value) => value !== null)];
}

describe("each type of property definitions", () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    await pull(source, join(folder, "types.snapshot"), { showProgress: false });
    snapshot = await openSnapshot(join(folder, "types.snapshot"));
    return () => snapshot.close();
  });

  it("has the same value in all outputs of a live layer, and of a snapshot's", async () => {
    expect(await outputs(await source.layer({ site_id: 1 }), "live")).toEqual(written);
    expect(await outputs(await snapshot.layer({ site_id: 1 }), "snapshot")).toEqual(written);
  });

  it("has the same type and value in SQL over a layer, its views and its past", async () => {
    const layer = await source.layer({ site_id: 1 });
    const typesOf = async (sql: typeof layer.sql, relation: string) => {
      const described = await sql(`SELECT column_name, column_type FROM (DESCRIBE FROM ${relation})`);
      const found = new Map(described.objects().map((row) => Object.values(row) as [string, string]));
      return types.map((type) => [type, found.get(type)]);
    };
    const rowOf = async (sql: typeof layer.sql, relation: string) => {
      const columns = types.map((type) => `to_json("${type}")::VARCHAR AS "${type}"`);
      const [row] = (await sql(`SELECT ${columns.join()} FROM ${relation} WHERE id = 1`)).objects();
      return row;
    };
    const ofLayer: typeof layer.sql = (query) => layer.sql(query);
    const ofSnapshot: typeof layer.sql = (query) => snapshot.sql(query);
    const expected = types.map((type) => [type, written[type].sql[0]]);
    const values = await rowOf(ofLayer, "layer");
    expect(await typesOf(ofLayer, "layer")).toEqual(expected);
    for (const relation of ["TRENCHES", "TRENCHES_AT('2024-06-30')"]) {
      expect(await typesOf(ofSnapshot, relation)).toEqual(expected);
      expect(await rowOf(ofSnapshot, relation)).toEqual(values);
    }
  });

  it("has the same value in the past, in memory and in SQL", async () => {
    const past = (await source.history({ site_id: 1 })).asOf("2024-06-30");
    const lazyPast = await (await snapshot.lazyHistory({ site_id: 1 })).asOf("2024-06-30");
    for (const table of [past, lazyPast]) {
      expect(types.map((type) => table.get(type, 0))).toEqual(types.map((type) => written[type].value));
    }
  });

  it("is sorted and drawn by its values", () => {
    for (const type of types) {
      const [kind] = written[type].embedded;
      const axis = { number: "number", date: "instant", text: "value" }[kind as "number" | "date" | "text"];
      expect([type, axisOf(type)]).toEqual([type, propertyRule(type)?.refersTo ? "value" : axis]);
    }
    expect(axisOf("GEOPOINT")).toBe("value");
    expect(propertyRule("toString")).toBeUndefined();
  });
});
