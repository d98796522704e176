import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { FileError } from "../../../src/core/errors.js";
import type { FromChangesOptions } from "../../../src/source/changes-options.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { rowsOf } from "../../history/small-history.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const fields = { id: "id", key: "key", value: "value", time: "at" } as const;
const readAt = new Date("2100-01-01T00:00:00Z");
const T = "2024-06-30T12:00:00Z";

const folder = temporaryFolder();

async function values(path: string, options: Partial<FromChangesOptions> = {}) {
  return (await fromChanges(path, { ...fields, readAt, ...options })).changes().array("value");
}

/** Writes a Parquet file with the rows of a query. */
async function writeParquet(name: string, query: string): Promise<string> {
  const path = join(folder, name);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

async function writeLines(name: string, ...rows: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, rows.join("\n"));
  return path;
}

const line = (more: string) => `{"id":1,"key":"note","at":"${T}",${more}}`;
const contents: Readonly<Record<string, (value: string) => string>> = {
  csv: (value) => `id,key,value,at\n1,note,${value},${T}\n`,
  ndjson: (value) => line(`"value":"${value}"`),
};

describe("a log in a file", () => {
  it("is refused if it decompresses to more than 100 times its size", async () => {
    const path = join(folder, "repeated.ndjson.gz");
    await writeFile(path, gzipSync(`${line('"value":"a"')}\n`.repeat(1_500_000)));
    await expect(values(path)).rejects.toThrow('repeated.ndjson.gz" decompresses to more than 100 times its size.');
    await expect(values(path)).rejects.toBeInstanceOf(FileError);
  });

  it("is refused if it has more than ten rows per byte", async () => {
    const path = await writeParquet(
      "repeated.parquet",
      `SELECT 1 AS id, 'note' AS key, 'a' AS value, TIMESTAMPTZ '${T}' AS at FROM range(30000000)`,
    );
    await expect(values(path)).rejects.toThrow(/^".*repeated\.parquet" has 30,000,000 rows in [\d,]+ bytes\.$/);
  });

  it("is read if it has at most ten million rows, whatever their bytes", async () => {
    const path = await writeParquet(
      "few.parquet",
      `SELECT 1 AS id, 'note' AS key, 'a' AS value, TIMESTAMPTZ '${T}' AS at FROM range(100000)`,
    );
    expect((await stat(path)).size).toBeLessThan(10_000);
    expect(await values(path)).toHaveLength(100_000);
  });

  /** Names of files, each with another file that matches it as a pattern. */
  const names = [
    ["log[1]", "log1"],
    ["a]b[", "a]b"],
    ["[!a]/log", "b/log"],
    ["what?", "whatX"],
    ["a*b", "ab"],
    ["**", "below"],
    ["{a,b}", "a"],
    ["key=folder/log", "log"],
    ["value=x/[12]/log", "value=x/1/log"],
  ] as const;
  const isValid = (name: string) => process.platform !== "win32" || !/[?*]/.test(name);

  it.each(names.filter(([name]) => isValid(name)))("is the file with exactly that name: %s", async (name, decoy) => {
    for (const [ending, content] of Object.entries(contents)) {
      for (const [stem, value] of [
        [decoy, "another"],
        [name, "this"],
      ] as const) {
        await mkdir(join(folder, stem, ".."), { recursive: true });
        await writeLines(`${stem}.${ending}`, content(value));
      }
      expect(await values(join(folder, `${name}.${ending}`))).toEqual(["this"]);
    }
    await writeParquet(`${name}.parquet`, `SELECT 1 AS id, 'note' AS key, 'this' AS value, '${T}' AS at`);
    expect(await values(join(folder, `${name}.parquet`))).toEqual(["this"]);
  });

  it("has columns by their exact names", async () => {
    const json = await writeLines("case.ndjson", line('"Value":"wrong","value":"right","a/b~c":"also"'));
    expect(await values(json)).toEqual(["right"]);
    expect(await values(json, { value: "Value" })).toEqual(["wrong"]);
    expect(await values(json, { value: "a/b~c" })).toEqual(["also"]);
    const parquet = await writeParquet(
      "case.parquet",
      `SELECT {'value': 'nested'} AS struct, 1 AS id, 'note' AS key, 'right' AS "VALUE", '${T}' AS at`,
    );
    expect(await values(parquet, { value: "VALUE" })).toEqual(["right"]);
    expect(await values(parquet, { value: "struct" })).toEqual([{ value: "nested" }]);
    for (const path of [parquet, await writeLines("other.ndjson", line('"VALUE":"x"'))]) {
      await expect(values(path, { value: "value" })).rejects.toThrow('unknown column "value"');
    }
  });

  it("keeps integers beyond 2^53 and decimal numbers exactly", async () => {
    const [low, high] = ["1161888007138312192", "1161888007138312193"];
    const json = await writeLines(
      "large.ndjson",
      line(`"value":${high},"seq":${high}`),
      line(`"value":${low},"seq":${low}`),
      line('"value":7,"seq":2'),
    );
    expect(await values(json)).toEqual([high, low, 7]);
    expect(await values(json, { sequence: "seq" })).toEqual([7, low, high]);
    const parquet = await writeParquet(
      "large.parquet",
      `SELECT id, 'note' AS key, value::DECIMAL(30, 2) AS value, id AS seq, '${T}' AS at FROM (VALUES
         (${high}::BIGINT, '123456789012345678.25'), (${low}::BIGINT, '1.50')) AS rows(id, value)`,
    );
    expect(await values(parquet)).toEqual(["123456789012345678.25", 1.5]);
    expect(await values(parquet, { sequence: "seq" })).toEqual([1.5, "123456789012345678.25"]);
    const ids = (await fromChanges(parquet, { ...fields, readAt })).asOf("2025-01-01").array("id");
    expect(ids).toEqual([high, low]);
  });

  it("reads NaN as null and keeps infinities, as rows in memory do", async () => {
    const numbers = ["NaN", "Infinity", "-Infinity", "0.5"];
    for (const type of ["DOUBLE", "FLOAT"]) {
      const rows = numbers.map((value, index) => `(${index}, '${value}'::${type})`).join();
      const path = await writeParquet(
        `${type}.parquet`,
        `SELECT id, 'note' AS key, value, '${T}' AS at FROM (VALUES ${rows}) AS rows(id, value)`,
      );
      const memory = numbers.map((value, id) => ({ id, key: "note", value: Number(value), at: T }));
      const expected = (await fromChanges(memory, { ...fields, readAt })).changes().array("value");
      expect(await values(path)).toEqual(expected);
    }
    const nested = await writeParquet(
      "nested.parquet",
      `SELECT 1 AS id, 'note' AS key, ['NaN'::DOUBLE] AS value, '${T}' AS at`,
    );
    await expect(values(nested)).rejects.toThrow('column "value" of');
  });

  it("has times of Parquet, with a zone and without", async () => {
    const path = await writeParquet(
      "times.parquet",
      `SELECT 1 AS id, 'note' AS key, 'a' AS value, TIMESTAMP '2024-06-30 12:00:00' AS local, TIMESTAMPTZ '${T}' AS zoned, DATE '2024-06-30' AS day`,
    );
    const at = async (time: string) =>
      (
        (await fromChanges(path, { ...fields, time, timeZone: "Europe/Berlin", readAt }))
          .changes()
          .get("created_at", 0) as Date
      ).toISOString();
    expect(await at("local")).toBe("2024-06-30T10:00:00.000Z");
    expect(await at("zoned")).toBe("2024-06-30T12:00:00.000Z");
    expect(await at("day")).toBe("2024-06-29T22:00:00.000Z");
  });

  it("has entities in JSON and Parquet", async () => {
    const log = await writeLines("entities-log.ndjson", line('"value":"a"'));
    const json = await writeLines(
      "entities.json",
      '[{"id":1,"note":"a","Note":1161888007138312193},{"id":2,"more":[1]}]',
    );
    const of = async (entities: string) =>
      rowsOf((await fromChanges(log, { ...fields, entities, readAt })).asOf("2025-01-01"));
    expect(await of(json)).toEqual([
      { id: 1, note: "a", Note: "1161888007138312193", more: null },
      { id: 2, note: null, Note: null, more: [1] },
    ]);
    const parquet = await writeParquet("entities.parquet", "SELECT 1 AS id, 'a' AS note, 'b' AS other");
    expect(await of(parquet)).toEqual([{ id: 1, note: "a", other: "b" }]);
  });

  it("refuses options of CSV for other files", async () => {
    const path = await writeLines("plain.ndjson", line('"value":"a"'));
    await expect(values(path, { encoding: "utf-16le" })).rejects.toThrow("`encoding` is for CSV files");
  });
});
