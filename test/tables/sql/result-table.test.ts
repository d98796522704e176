import { describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull, toCSV } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { dataset, feature } from "../../support/records.js";

const path = temporaryFolder();
const source = fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1)] });
const digits = "123456789012345678901234567890123456789012345678901234567890";

/** Literals of DuckDB and their values in tables. */
const values: readonly (readonly [sql: string, value: unknown])[] = [
  ["true", true],
  ["(-128)::TINYINT", -128],
  ["255::UTINYINT", 255],
  ["(-32768)::SMALLINT", -32768],
  ["4294967295::UINTEGER", 4294967295],
  ["9007199254740991::BIGINT", 9007199254740991],
  ["9007199254740993::BIGINT", 9007199254740993n],
  ["(-9007199254740993)::BIGINT", -9007199254740993n],
  ["18446744073709551615::UBIGINT", 18446744073709551615n],
  ["7::HUGEINT", 7],
  ["170141183460469231731687303715884105727::HUGEINT", 170141183460469231731687303715884105727n],
  ["(-170141183460469231731687303715884105728)::HUGEINT", -170141183460469231731687303715884105728n],
  ["340282366920938463463374607431768211455::UHUGEINT", 340282366920938463463374607431768211455n],
  [`'${digits}'::BIGNUM`, BigInt(digits)],
  [`'-${digits}'::BIGNUM`, -BigInt(digits)],
  ["'0'::BIGNUM", 0],
  ["1.5::FLOAT", 1.5],
  ["0.1::DOUBLE", 0.1],
  ["'-0.0'::DOUBLE", -0],
  ["'nan'::DOUBLE", Number.NaN],
  ["'infinity'::DOUBLE", Number.POSITIVE_INFINITY],
  ["'-infinity'::FLOAT", Number.NEGATIVE_INFINITY],
  ["1.5::DECIMAL(4,1)", 1.5],
  ["-12345.6789::DECIMAL(9,4)", -12345.6789],
  ["0::DECIMAL(38,10)", 0],
  ["123456789012.345::DECIMAL(18,3)", 123456789012.345],
  ["123456789012345.678::DECIMAL(18,3)", "123456789012345.678"],
  ["9007199254740991::DECIMAL(38,0)", 9007199254740991],
  ["9007199254740991::DECIMAL(38,5)", 9007199254740991],
  ["9007199254740993::DECIMAL(38,0)", "9007199254740993"],
  ["12345678901234567890.123456789::DECIMAL(38,9)", "12345678901234567890.123456789"],
  ["-0.00000000000000000001::DECIMAL(38,20)", -1e-20],
  ["'\ufeffx'", "\ufeffx"],
  ["chr(65279) || chr(65279)", "\ufeff\ufeff"],
  ["'a' || chr(0) || 'b'", "a\0b"],
  ["''", ""],
  ["DATE '2024-02-29'", "2024-02-29"],
  ["DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"],
  ["'infinity'::DATE", "infinity"],
  ["'-infinity'::DATE", "-infinity"],
  ["TIME '12:34:56.123456'", "12:34:56.123456"],
  ["TIME '24:00:00'", "24:00:00"],
  ["'12:34:56.123456789'::TIME_NS", "12:34:56.123456789"],
  ["TIMETZ '12:34:56.5+02:30'", "12:34:56.5+02:30"],
  ["INTERVAL '1 year 2 days 03:04:05.000006'", "1 year 2 days 03:04:05.000006"],
  ["TIMESTAMP '2024-01-01 00:00:00.123456'", new Date("2024-01-01T00:00:00.123Z")],
  ["TIMESTAMP '1969-12-31 23:59:59.999999'", new Date(-1)],
  ["TIMESTAMPTZ '2024-01-01 02:00:00+02'", new Date("2024-01-01T00:00:00Z")],
  ["TIMESTAMP_S '2024-01-01 00:00:01'", new Date("2024-01-01T00:00:01Z")],
  ["TIMESTAMP_MS '2024-01-01 00:00:00.001'", new Date("2024-01-01T00:00:00.001Z")],
  ["TIMESTAMP_NS '2024-01-01 00:00:00.001'", new Date("2024-01-01T00:00:00.001Z")],
  ["TIMESTAMP_NS '2024-01-01 00:00:00.123456789'", "2024-01-01 00:00:00.123456789"],
  ...["TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"].flatMap((type) =>
    ["infinity", "-infinity"].map((text) => [`'${text}'::${type}`, text] as const),
  ),
  ["TIMESTAMP '290000-01-01 00:00:00'", "290000-01-01 00:00:00"],
  ["TIMESTAMPTZ '290000-01-01 00:00:00+00'", "290000-01-01 00:00:00+00"],
  ["'0ABC0000-0000-7000-8000-000000000001'::UUID", "0abc0000-0000-7000-8000-000000000001"],
  ["'\\x00\\xFF'::BLOB", Buffer.from([0, 255])],
  ["'0101'::BIT", "0101"],
  ["'b'::ENUM ('a', 'b')", "b"],
  ["[1, NULL, 9007199254740993]", [1, null, 9007199254740993n]],
  ["[DATE 'infinity', DATE '2024-01-01']", ["infinity", "2024-01-01"]],
  ["[1.5::DECIMAL(38,20), 12345678901234567.5::DECIMAL(38,20)]", [1.5, "12345678901234567.50000000000000000000"]],
  ["array_value(1, 2)", [1, 2]],
  ["{'a': 1, 'b': {'c': TIME '01:00:00'}}", { a: 1, b: { c: "01:00:00" } }],
  ["MAP {'k': NULL}", [{ key: "k", value: null }]],
  ["union_value(num := 2)", { tag: "num", value: 2 }],
  ["NULL", null],
  ["NULL::TIMESTAMP", null],
  ["[]::INTEGER[]", []],
];

describe("results of SQL", () => {
  it("have equal values in layers, snapshots and the sandbox", async () => {
    const layer = await source.layer({ site_id: 12 });
    await pull(source, `${path}/types.snapshot`, { showProgress: false });
    const snapshot = await openSnapshot(`${path}/types.snapshot`);
    const query = `SELECT ${values.map(([sql], index) => `${sql} AS v${index}`).join()}`;
    for (const table of [
      await layer.sql(query),
      await snapshot.sql(query),
      await snapshot.sql(query, { sandbox: true }),
    ]) {
      const found = values.map(([sql], index) => [sql, table.get(`v${index}`, 0)]);
      expect(found).toEqual(values.map((one) => [...one]));
    }
    await snapshot.close();
  });

  it("keep microseconds for exports", async () => {
    const layer = await source.layer({ site_id: 12 });
    const table = await layer.sql(`SELECT * FROM (VALUES
      (TIMESTAMP '2024-01-01 00:00:00.123456', TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'), (NULL, NULL)) t(a, b)`);
    expect(await toCSV(table)).toBe("a,b\r\n2024-01-01T00:00:00.123456Z,1969-12-31T23:59:59.999999Z\r\n,\r\n");
    expect(table.filter((row: { a: unknown }) => row.a !== null).numRows()).toBe(1);
  });

  it("mix dates and strings if a time is infinite", async () => {
    const layer = await source.layer({ site_id: 12 });
    const table = await layer.sql("SELECT unnest([TIMESTAMP '2024-01-01', 'infinity', NULL]) AS v");
    expect(table.array("v")).toEqual([new Date("2024-01-01T00:00:00Z"), "infinity", null]);
    expect(await toCSV(table)).toBe("v\r\n2024-01-01T00:00:00.000Z\r\ninfinity\r\n\r\n");
  });

  it("have parsed JSON from layers", async () => {
    const layer = await source.layer({ site_id: 12 });
    expect((await layer.sql("SELECT '{\"a\": [1]}'::JSON AS v")).get("v", 0)).toEqual({ a: [1] });
    expect((await layer.sql("SELECT ['1'::JSON, 'null'::JSON] AS v")).get("v", 0)).toEqual([1, null]);
  });

  it("have GeoJSON objects from layers, and GeoJSON strings from snapshots", async () => {
    const layer = await source.layer({ site_id: 12 });
    await pull(source, `${path}/shapes.snapshot`, { showProgress: false });
    const snapshot = await openSnapshot(`${path}/shapes.snapshot`);
    const shapes = [
      ["POINT (1.5 -2)", '{"type":"Point","coordinates":[1.5,-2]}'],
      ["POINT Z (1 2 3)", '{"type":"Point","coordinates":[1,2,3]}'],
      ["POINT M (1 2 3)", '{"type":"Point","coordinates":[1,2]}'],
      ["POINT ZM (1 2 3 4)", '{"type":"Point","coordinates":[1,2,3]}'],
      ["POINT EMPTY", '{"type":"Point","coordinates":[]}'],
      ["LINESTRING (0 0, 1 1)", '{"type":"LineString","coordinates":[[0,0],[1,1]]}'],
      ["POLYGON ((0 0, 1 0, 1 1, 0 0))", '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}'],
      ["POLYGON EMPTY", '{"type":"Polygon","coordinates":[]}'],
      ["MULTIPOINT (1 2, EMPTY)", '{"type":"MultiPoint","coordinates":[[1,2],[]]}'],
      ["MULTILINESTRING ((0 0, 1 1), EMPTY)", '{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[]]}'],
      [
        "GEOMETRYCOLLECTION Z (POINT Z (1 2 3), GEOMETRYCOLLECTION Z EMPTY)",
        '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2,3]},{"type":"GeometryCollection","geometries":[]}]}',
      ],
    ] as const;
    for (const [wkt, text] of shapes) {
      const query = `SELECT '${wkt}'::GEOMETRY AS v, ['${wkt}'::GEOMETRY] AS list`;
      const geometry: unknown = JSON.parse(text);
      expect((await layer.sql(query)).objects()).toEqual([{ v: geometry, list: [geometry] }]);
      expect((await snapshot.sql(query)).objects()).toEqual([{ v: text, list: [text] }]);
    }
    await snapshot.close();
  });

  it("keep U+FEFF at the start of stored strings", async () => {
    const odd = fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1, { visible_id: "\ufeffF" })] });
    await pull(odd, `${path}/mark.snapshot`, { showProgress: false });
    const snapshot = await openSnapshot(`${path}/mark.snapshot`);
    expect((await snapshot.sql("SELECT visible_id FROM TRENCHES")).get("visible_id", 0)).toBe("\ufeffF");
    await snapshot.close();
  });
});
