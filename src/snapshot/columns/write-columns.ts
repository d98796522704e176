import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { baseFields } from "../../columns/read/feature-columns.js";
import type { StoredFile } from "../format/manifest.js";
import { sqlText } from "../format/sql-text.js";
import { jsonMembers } from "../json/json-members.js";
import { ColumnBuilder } from "./column-builder.js";
import { type ColumnEntry, MAGIC, PRELUDE_BYTES, padded, RECORD_COLUMN } from "./column-layout.js";
import { encodeColumn } from "./encode-column.js";

const fields: ReadonlySet<string> = new Set(baseFields);

interface Builders {
  readonly fields: Map<string, ColumnBuilder>;
  readonly properties: Map<string, ColumnBuilder>;
}

/**
 * Writes the records of a Parquet file once more, by column, as they are read into layers.
 *
 * @param parquet path of the Parquet file
 * @param path of the column file below `root`
 * @param what the columns are: the members of the records and of their `properties`, or the records themselves
 */
export async function writeColumns(
  connection: DuckDBConnection,
  parquet: string,
  root: string,
  path: string,
  what: "members" | "records",
): Promise<StoredFile> {
  const builders: Builders = { fields: new Map(), properties: new Map() };
  const rows = await readRecords(connection, parquet, (row, text) => {
    if (what === "members") addMembers(builders, row, text);
    else builder(builders.fields, RECORD_COLUMN).add(row, text);
  });
  const place = join(root, path);
  await mkdir(dirname(place), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  {
    await using file = await open(`${place}.unfinished`, "w");
    for (const chunk of layOut(rows, builders)) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  }
  await rename(`${place}.unfinished`, place);
  return { path, bytes, sha256: hash.digest("hex") };
}

async function readRecords(
  connection: DuckDBConnection,
  parquet: string,
  use: (row: number, text: string) => void,
): Promise<number> {
  const result = await connection.stream(`SELECT record FROM read_parquet(${sqlText(parquet)})`);
  let row = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const text of chunk.getColumnValues(0)) use(row++, String(text));
  }
  return row;
}

function addMembers(builders: Builders, row: number, text: string): void {
  const members = jsonMembers(text);
  for (const { key, valueStart, end } of members) {
    if (fields.has(key)) builder(builders.fields, key).add(row, text.slice(valueStart, end));
  }
  const properties = members.findLast(({ key }) => key === "properties");
  if (!properties || text[properties.valueStart] !== "{") return;
  const nested = text.slice(properties.valueStart, properties.end);
  for (const { key, valueStart, end } of jsonMembers(nested)) {
    builder(builders.properties, key).add(row, nested.slice(valueStart, end));
  }
}

function builder(builders: Map<string, ColumnBuilder>, name: string): ColumnBuilder {
  const known = builders.get(name);
  if (known) return known;
  const column = new ColumnBuilder();
  builders.set(name, column);
  return column;
}

function layOut(rows: number, { fields: own, properties }: Builders): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let end = 0;
  const place = (parts: readonly Uint8Array[]): number => {
    const offset = end;
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    end += padded(bytes);
    chunks.push(...parts, Buffer.alloc(padded(bytes) - bytes));
    return offset;
  };
  const entryOf = (isProperty: boolean, [name, column]: readonly [string, ColumnBuilder]): ColumnEntry => {
    column.pad(rows);
    const { encoding, counts, chunks: parts, present } = encodeColumn(column);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    const offset = place(parts);
    const entry = { name, isProperty, ...encoding, offset, bytes, counts };
    return present ? { ...entry, presentOffset: place([present]) } : entry;
  };
  const columns = [
    ...[...own].map((column) => entryOf(false, column)),
    ...[...properties].map((column) => entryOf(true, column)),
  ];
  const text = Buffer.from(JSON.stringify({ rows, columns }));
  const header = Buffer.alloc(padded(text.length), " ");
  text.copy(header);
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(header.length, MAGIC.length);
  return [prelude, header, ...chunks];
}
