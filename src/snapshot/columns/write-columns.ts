import type { DuckDBConnection } from "@duckdb/node-api";
import type { PropertyChange } from "../../api/resources.js";
import { baseFields } from "../../tables/read/feature-columns.js";
import { wholeChunks } from "../database/whole-chunks.js";
import type { StoredFile } from "../format/manifest.js";
import { sqlText } from "../format/sql-text.js";
import type { ColumnFileContent } from "../format/table-schema.js";
import { jsonMembers } from "../json/json-members.js";
import { ChangeBuilder } from "./change-builder.js";
import { type ChangeHeader, changeSections } from "./change-layout.js";
import { ChunkSequence } from "./chunk-sequence.js";
import { ColumnBuilder } from "./column-builder.js";
import { type ColumnEntry, type ColumnHeader, RECORD_COLUMN } from "./column-layout.js";
import { encodeColumn } from "./encode-column.js";
import { type LaidOutColumns, writeColumnFile } from "./write-column-file.js";

const fields: ReadonlySet<string> = new Set(baseFields);

interface Builders {
  readonly fields: Map<string, ColumnBuilder>;
  readonly properties: Map<string, ColumnBuilder>;
}

/**
 * Writes the records of a Parquet file once more, by column, as they are read into layers and histories.
 *
 * @param parquet path of the Parquet file
 * @param path of the column file below `root`
 * @param what the columns are: the members of the records and of their `properties`, the records themselves, or what a
 * history needs of property changes
 */
export async function writeColumns(
  connection: DuckDBConnection,
  parquet: string,
  root: string,
  path: string,
  what: ColumnFileContent,
): Promise<StoredFile> {
  const laidOut =
    what === "changes" ? await layOutChanges(connection, parquet) : await layOut(connection, parquet, what);
  return writeColumnFile(root, path, laidOut);
}

async function layOutChanges(connection: DuckDBConnection, parquet: string): Promise<LaidOutColumns> {
  const builder = new ChangeBuilder(await countRecords(connection, parquet));
  await readRecords(connection, parquet, (_, text) => builder.add(JSON.parse(text) as PropertyChange));
  const { rows, undated, sections } = builder.finish();
  const sequence = new ChunkSequence();
  const places = changeSections.map((name) => [name, sequence.place([sections[name]])] as const);
  const header: ChangeHeader = { rows, undated, sections: Object.fromEntries(places) as ChangeHeader["sections"] };
  return { header, chunks: sequence.chunks };
}

async function layOut(
  connection: DuckDBConnection,
  parquet: string,
  what: "members" | "records",
): Promise<LaidOutColumns> {
  const builders: Builders = { fields: new Map(), properties: new Map() };
  const rows = await readRecords(connection, parquet, (row, text) => {
    if (what === "members") addMembers(builders, row, text);
    else builder(builders.fields, RECORD_COLUMN).add(row, text);
  });
  const sequence = new ChunkSequence();
  const entryOf = (isProperty: boolean, [name, column]: readonly [string, ColumnBuilder]): ColumnEntry => {
    column.pad(rows);
    const { encoding, counts, chunks, present } = encodeColumn(column);
    const entry = { name, isProperty, ...encoding, ...sequence.place(chunks), counts };
    return present ? { ...entry, presentOffset: sequence.place([present]).offset } : entry;
  };
  const columns = [
    ...[...builders.fields].map((column) => entryOf(false, column)),
    ...[...builders.properties].map((column) => entryOf(true, column)),
  ];
  const header: ColumnHeader = { rows, columns };
  return { header, chunks: sequence.chunks };
}

async function countRecords(connection: DuckDBConnection, parquet: string): Promise<number> {
  const counted = await connection.run(`SELECT count(*)::DOUBLE FROM read_parquet(${sqlText(parquet)})`);
  const [[rows] = []] = await counted.getRows();
  return Number(rows);
}

async function readRecords(
  connection: DuckDBConnection,
  parquet: string,
  use: (row: number, text: string) => void,
): Promise<number> {
  let row = 0;
  for await (const chunk of wholeChunks(connection, `SELECT record FROM read_parquet(${sqlText(parquet)})`)) {
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
