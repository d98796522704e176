import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import { literalPath, sqlList, sqlText } from "../../tables/sql/sql-text.js";
import { LazyDatabase } from "../database/lazy-database.js";
import { refuseQuestionMark, withDuckDB } from "../database/open-duckdb.js";
import { listGenerations } from "../folder/manifest-file.js";
import { diskError } from "../folder/target-folder.js";
import { checkSizes } from "../folder/verify-files.js";
import { LAKE_NAME, type Manifest } from "../format/manifest.js";
import { unfinishedPath } from "../format/snapshot-paths.js";
import { TypePasts } from "../questions/type-pasts.js";
import { SnapshotReader } from "../snapshot-reader.js";
import {
  type FileSpan,
  fileSpans,
  isNested,
  isPartition,
  type LakeColumn,
  type LakeRelation,
  type LakeTable,
  lakeComment,
  lakeRelations,
  lakeTables,
} from "./lake-relations.js";

/** Settings of a catalog, which are stored in it for later updates. */
export interface LakeSettings {
  /** URL of the snapshot folder for readers. Default: its local path. */
  readonly location?: string;
  /** IANA time zone of calendar dates. */
  readonly timeZone: string;
}

/** A written catalog. */
export interface WrittenDuckLake {
  /** Path of the catalog's file. */
  readonly path: string;
  /** Generations in the catalog, oldest first. */
  readonly generations: readonly number[];
  /** Time zone of calendar dates. */
  readonly timeZone: string;
}

const MEMORY_MB = 200;
/** Rows per statement. */
const ROWS = 500;

/** Updates the catalog of a snapshot with its stored settings. Requires the folder's lock. */
export async function renewLake(root: string): Promise<void> {
  await writeLakeFile(root, await readSettings(root));
}

/**
 * Writes the DuckLake catalog of a snapshot: its tables over the existing files, in every generation of the folder, and
 * the views and macros of the newest one. Requires the folder's lock.
 *
 * @throws SnapshotError if the file cannot be written
 */
export async function writeLakeFile(root: string, settings: LakeSettings): Promise<WrittenDuckLake> {
  const states = await listGenerations(root);
  const present = states.at(-1);
  if (!present) throw new TypeError(`${root} has no generation`);
  for (const state of states) await checkSizes(root, state);
  const scratch = unfinishedPath(root);
  try {
    await mkdir(scratch);
    const file = join(scratch, LAKE_NAME);
    const relations = await presentRelations(root, present, settings.timeZone);
    await writeCatalog(file, { root, states, relations, settings });
    await renamePath(file, join(root, LAKE_NAME));
    return {
      path: join(root, LAKE_NAME),
      generations: states.map(({ generation }) => generation),
      timeZone: settings.timeZone,
    };
  } catch (error) {
    throw diskError(error, root, "try again");
  } finally {
    await rm(scratch, REMOVE_FOLDER);
  }
}

async function presentRelations(root: string, manifest: Manifest, timeZone: string) {
  const lazy = new LazyDatabase(root, manifest);
  try {
    const pasts = new TypePasts({ reader: new SnapshotReader(lazy, manifest, root, root), manifest, root }, lazy);
    return await lakeRelations(await lazy.get(), (type, asLogged) => pasts.open(type, asLogged), timeZone);
  } finally {
    await lazy.close();
  }
}

/** The settings of the existing catalog; undefined if it is missing or damaged. */
export async function storedSettings(root: string): Promise<LakeSettings | undefined> {
  return readSettings(root).catch(() => undefined);
}

/** The settings of the existing catalog. */
async function readSettings(root: string): Promise<LakeSettings> {
  const path = join(root, LAKE_NAME);
  try {
    const database = { memoryMb: MEMORY_MB, threads: 1, spillPath: root };
    return await withDuckDB(":memory:", database, async (connection) => {
      await connection.run(`ATTACH ${sqlText(path)} AS lake (READ_ONLY)`);
      const result = await connection.run(
        "SELECT commit_extra_info FROM lake.ducklake_snapshot_changes ORDER BY snapshot_id DESC LIMIT 1",
      );
      const { timeZone, location } = JSON.parse(String((await result.getRows())[0]?.[0])) as Record<string, unknown>;
      if (typeof timeZone !== "string") throw new TypeError("no time zone");
      return { timeZone, ...(typeof location === "string" ? { location } : {}) };
    });
  } catch (cause) {
    throw new SnapshotError(`${path} is not a DuckLake catalog of Siteframe.`, {
      cause,
      hint: "Write it again with siteframe ducklake, or remove it.",
      facts: { path },
    });
  }
}

interface Catalog {
  readonly root: string;
  /** Generations, oldest first, the current one last. */
  readonly states: readonly Manifest[];
  readonly relations: readonly LakeRelation[];
  readonly settings: LakeSettings;
}

type Cell = string | number | boolean | null;

/** The only schema. */
const SCHEMA = 0;
const NO_END = null;

async function writeCatalog(path: string, catalog: Catalog): Promise<void> {
  refuseQuestionMark(path);
  await withDuckDB(":memory:", { memoryMb: MEMORY_MB, spillPath: `${path}.spill` }, async (connection) => {
    // Each table has its own blocks, and most tables are small.
    await connection.run(`ATTACH ${sqlText(path)} AS lake (BLOCK_SIZE 16384); USE lake`);
    for (const [name, columns] of Object.entries(catalogTables)) {
      await connection.run(`CREATE TABLE ${name} (${columns})`);
    }
    await connection.run("BEGIN");
    await new CatalogWriter(connection, catalog).write();
    await connection.run("COMMIT; USE memory; DETACH lake");
  });
}

class CatalogWriter {
  readonly #connection: DuckDBConnection;
  readonly #catalog: Catalog;
  readonly #first: number;
  readonly #present: number;
  #ids = 0;
  #files = 0;

  constructor(connection: DuckDBConnection, catalog: Catalog) {
    this.#connection = connection;
    this.#catalog = catalog;
    const generations = catalog.states.map(({ generation }) => generation);
    this.#first = generations[0] as number;
    this.#present = generations.at(-1) as number;
  }

  async write(): Promise<void> {
    const { root, settings } = this.#catalog;
    await this.#insert("ducklake_metadata", [
      ["version", "1.0", null, null],
      ["created_by", "Siteframe", null, null],
      ["data_path", `${settings.location ?? root}/`, null, null],
      ["encrypted", "false", null, null],
      ["data_inlining_row_limit", "0", null, null],
    ]);
    await this.#insert("ducklake_schema", [[SCHEMA, randomUUID(), this.#first, NO_END, "main", "", true]]);
    const changes = new Map(this.#catalog.states.map(({ generation }) => [generation, new Set<string>()]));
    for (const table of lakeTables) await this.#writeTable(table, changes);
    await this.#writeRelations();
    await this.#writeStates(changes);
  }

  async #writeTable(table: LakeTable, changes: ReadonlyMap<number, Set<string>>): Promise<void> {
    const id = this.#nextId();
    const { name, columns } = table;
    await this.#insert("ducklake_table", [[id, randomUUID(), this.#first, NO_END, SCHEMA, name, "", true]]);
    await this.#insert("ducklake_schema_versions", [[this.#first, 1, id]]);
    await this.#insert(
      "ducklake_column",
      columns.map((column) => {
        const { id: columnId, name: called, type, parent = null } = column;
        const kind = isNested(column) ? "" : "literal";
        return [columnId, this.#first, NO_END, id, columnId, called, type, null, "NULL", true, parent, kind, "duckdb"];
      }),
    );
    await this.#writeComments(id, table);
    // Columns in files have no numbers and are found by name.
    await this.#insert("ducklake_column_mapping", [[id, id, "map_by_name"]]);
    await this.#insert(
      "ducklake_name_mapping",
      columns.map((column) => {
        const parent = column.parent === undefined ? null : column.parent - 1;
        return [id, column.id - 1, column.name, column.id, parent, isPartition(column)];
      }),
    );
    const intervals = fileSpans(table, this.#catalog.states);
    for (const { from, to } of intervals) {
      if (from !== this.#first) changes.get(from)?.add(`inserted_into_table:${id}`);
      if (to !== undefined) changes.get(to)?.add(`deleted_from_table:${id}`);
    }
    changes.get(this.#first)?.add(`created_table:"main".${quotedName(name)}`);
    await this.#writeFiles(id, table, intervals);
  }

  /** Comments of a table and its columns, which DuckLake stores as tags. */
  async #writeComments(id: number, { name, columns }: LakeTable): Promise<void> {
    const comment = lakeComment(name);
    if (comment !== undefined) await this.#insert("ducklake_tag", [[id, this.#first, NO_END, "comment", comment]]);
    await this.#insert(
      "ducklake_column_tag",
      columns.flatMap((column): Cell[][] => {
        const text = column.parent === undefined ? lakeComment(name, column.name) : undefined;
        return text === undefined ? [] : [[id, column.id, this.#first, NO_END, "comment", text]];
      }),
    );
  }

  async #writeFiles(id: number, { columns }: LakeTable, intervals: readonly FileSpan[]): Promise<void> {
    if (intervals.length === 0) {
      await this.#insert("ducklake_table_stats", [[id, 0, 0, 0]]);
      return;
    }
    const { root } = this.#catalog;
    let rows = 0;
    const files = intervals.map(({ file, from, to = NO_END }): Cell[] => {
      const start = rows;
      rows += file.rows;
      const number = this.#files++;
      return [
        number,
        id,
        from,
        to,
        null,
        file.path,
        true,
        "parquet",
        file.rows,
        file.bytes,
        0,
        start,
        null,
        null,
        id,
        null,
      ];
    });
    await this.#insert("ducklake_data_file", files);
    const paths = sqlList([...new Set(intervals.map(({ file }) => literalPath(join(root, file.path))))]);
    const file = `(SELECT *, ${sqlText(`${root}/`)} || path AS file_name FROM ducklake_data_file WHERE table_id = ${id})`;
    await this.#connection.run(`UPDATE ducklake_data_file f SET footer_size = m.footer_size
      FROM parquet_file_metadata(${paths}) m WHERE m.file_name = ${sqlText(`${root}/`)} || f.path AND f.table_id = ${id}`);
    await this.#connection.run(`CREATE TEMP TABLE chunks AS SELECT file_name, path_in_schema, sum(num_values)::BIGINT AS n,
      CASE WHEN count(stats_null_count) = count(*) THEN sum(stats_null_count)::BIGINT END AS nulls,
      sum(total_compressed_size)::BIGINT AS bytes, list(stats_min_value) AS mins, list(stats_max_value) AS maxs,
      count(stats_min_value) = count(*) AND count(stats_max_value) = count(*) AS whole
      FROM parquet_metadata(${paths}) GROUP BY ALL`);
    for (const column of columns.filter((column) => !isNested(column))) {
      await this.#connection.run(
        `INSERT INTO ducklake_file_column_stats SELECT data_file_id, ${id}, ${column.id}, ${columnStats(column)}, NULL, NULL
         FROM ${file} f ${isPartition(column) ? "" : `LEFT JOIN chunks c ON c.file_name = f.file_name AND path_in_schema = ${sqlText(column.parquetPath as string)}`}`,
      );
    }
    const ranked = columns.filter(isRanked).map((column) => `(${column.id}, '${sqlType(column)}')`);
    const bound = (which: "min" | "max") => {
      const texts = columns.filter(isRanked).map(({ id: columnId, ...column }) => {
        const type = sqlType(column as LakeColumn);
        return `WHEN column_id = ${columnId} THEN ${which}(CASE WHEN column_id = ${columnId} THEN ${which}_value::${type} END)::VARCHAR`;
      });
      return ranked.length === 0
        ? "NULL"
        : `CASE WHEN bool_and(${which}_value IS NOT NULL OR null_count = value_count) THEN CASE ${texts.join(" ")} END END`;
    };
    await this.#connection.run(`DROP TABLE chunks; INSERT INTO ducklake_table_column_stats
      SELECT ${id}, column_id, coalesce(sum(null_count) > 0, true), NULL, ${bound("min")}, ${bound("max")}, NULL
      FROM ducklake_file_column_stats WHERE table_id = ${id} GROUP BY column_id`);
    await this.#connection.run(`INSERT INTO ducklake_table_stats SELECT ${id}, sum(record_count), ${rows}, sum(file_size_bytes)
      FROM ducklake_data_file WHERE table_id = ${id} AND end_snapshot IS NULL HAVING count(*) > 0
      UNION ALL SELECT ${id}, 0, ${rows}, 0 WHERE NOT EXISTS (FROM ducklake_data_file WHERE table_id = ${id} AND end_snapshot IS NULL)`);
  }

  async #writeRelations(): Promise<void> {
    for (const { name, parameters, sql } of this.#catalog.relations) {
      const id = this.#nextId();
      if (!parameters) {
        const row = [id, randomUUID(), this.#present, NO_END, SCHEMA, name, "duckdb", sql, ""];
        await this.#insert("ducklake_view", [row]);
        continue;
      }
      await this.#insert("ducklake_macro", [[SCHEMA, id, name, this.#present, NO_END]]);
      await this.#insert("ducklake_macro_impl", [[id, 0, "duckdb", sql, "table"]]);
      const given = parameters.map((parameter, index) => [id, 0, index, parameter, "unknown", "NULL", "unknown"]);
      await this.#insert("ducklake_macro_parameters", given);
    }
  }

  async #writeStates(changes: ReadonlyMap<number, ReadonlySet<string>>): Promise<void> {
    const { root, states, settings } = this.#catalog;
    const settingsText = JSON.stringify(settings);
    for (const { generation, read_at } of states) {
      // Readers cache a version of the schema, so the views come with the current generation.
      const version = generation === this.#present && generation !== this.#first ? 2 : 1;
      const made = [
        ...(generation === this.#first ? ['created_schema:"main"'] : []),
        ...(changes.get(generation) ?? []),
      ];
      const message = `Generation ${generation} of ${basename(root)}`;
      await this.#insert("ducklake_snapshot", [[generation, read_at, version, this.#ids + 1, this.#files]]);
      await this.#insert("ducklake_snapshot_changes", [[generation, made.join(), null, message, settingsText]]);
    }
  }

  #nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  async #insert(table: CatalogTable, rows: readonly (readonly Cell[])[]): Promise<void> {
    for (let start = 0; start < rows.length; start += ROWS) {
      const values = rows.slice(start, start + ROWS).map((row) => `(${row.map(literal).join()})`);
      await this.#connection.run(`INSERT INTO ${table} VALUES ${values.join()}`);
    }
  }
}

function literal(cell: Cell): string {
  return typeof cell === "string" ? sqlText(cell) : String(cell);
}

/** Whether minimum and maximum are stored: strings may be cut, and numbers may be NaN. */
function isRanked({ type }: LakeColumn): boolean {
  return type === "int64" || type === "int32" || type === "timestamptz";
}

function sqlType({ type }: LakeColumn): string {
  return type === "timestamptz" ? "TIMESTAMPTZ" : "BIGINT";
}

/** Bytes, values, nulls, minimum and maximum of a column of a file, over the file `f` and its `chunks c`. */
function columnStats(column: LakeColumn): string {
  if (isPartition(column)) {
    const site = "TRY_CAST(regexp_extract(f.path, 'site_id=([^/]*)', 1) AS BIGINT)";
    return `0, record_count, CASE WHEN ${site} IS NULL THEN record_count ELSE 0 END, ${site}::VARCHAR, ${site}::VARCHAR`;
  }
  if (!isRanked(column)) return "coalesce(bytes, 0), coalesce(n, record_count), nulls, NULL, NULL";
  const type = sqlType(column);
  const bound = (which: "min" | "max") => `CASE WHEN whole THEN list_${which}(${which}s::${type}[])::VARCHAR END`;
  return `coalesce(bytes, 0), coalesce(n, record_count), nulls, ${bound("min")}, ${bound("max")}`;
}

/**
 * The tables of a catalog of DuckLake 1.0 by its specification, with their columns in order. Columns that a snapshot
 * does not need stay empty.
 */
const catalogTables = {
  ducklake_metadata: "key VARCHAR NOT NULL, value VARCHAR NOT NULL, scope VARCHAR, scope_id BIGINT",
  ducklake_snapshot:
    "snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, next_catalog_id BIGINT, next_file_id BIGINT",
  ducklake_snapshot_changes:
    "snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR, commit_message VARCHAR, commit_extra_info VARCHAR",
  ducklake_schema:
    "schema_id BIGINT PRIMARY KEY, schema_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN",
  ducklake_schema_versions: "begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT",
  ducklake_table:
    "table_id BIGINT, table_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, table_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN",
  ducklake_column:
    "column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, table_id BIGINT, column_order BIGINT, column_name VARCHAR, column_type VARCHAR, initial_default VARCHAR, default_value VARCHAR, nulls_allowed BOOLEAN, parent_column BIGINT, default_value_type VARCHAR, default_value_dialect VARCHAR",
  ducklake_view:
    "view_id BIGINT, view_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, view_name VARCHAR, dialect VARCHAR, sql VARCHAR, column_aliases VARCHAR",
  ducklake_macro: "schema_id BIGINT, macro_id BIGINT, macro_name VARCHAR, begin_snapshot BIGINT, end_snapshot BIGINT",
  ducklake_macro_impl: "macro_id BIGINT, impl_id BIGINT, dialect VARCHAR, sql VARCHAR, type VARCHAR",
  ducklake_macro_parameters:
    "macro_id BIGINT, impl_id BIGINT, column_id BIGINT, parameter_name VARCHAR, parameter_type VARCHAR, default_value VARCHAR, default_value_type VARCHAR",
  ducklake_data_file:
    "data_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, file_order BIGINT, path VARCHAR, path_is_relative BOOLEAN, file_format VARCHAR, record_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, row_id_start BIGINT, partition_id BIGINT, encryption_key VARCHAR, mapping_id BIGINT, partial_max BIGINT",
  ducklake_file_column_stats:
    "data_file_id BIGINT, table_id BIGINT, column_id BIGINT, column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR",
  ducklake_file_variant_stats:
    "data_file_id BIGINT, table_id BIGINT, column_id BIGINT, variant_path VARCHAR, shredded_type VARCHAR, column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR",
  ducklake_file_partition_value:
    "data_file_id BIGINT, table_id BIGINT, partition_key_index BIGINT, partition_value VARCHAR",
  ducklake_table_stats: "table_id BIGINT, record_count BIGINT, next_row_id BIGINT, file_size_bytes BIGINT",
  ducklake_table_column_stats:
    "table_id BIGINT, column_id BIGINT, contains_null BOOLEAN, contains_nan BOOLEAN, min_value VARCHAR, max_value VARCHAR, extra_stats VARCHAR",
  ducklake_column_mapping: "mapping_id BIGINT, table_id BIGINT, type VARCHAR",
  ducklake_name_mapping:
    "mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, target_field_id BIGINT, parent_column BIGINT, is_partition BOOLEAN",
  ducklake_partition_info: "partition_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT",
  ducklake_partition_column:
    "partition_id BIGINT, table_id BIGINT, partition_key_index BIGINT, column_id BIGINT, transform VARCHAR",
  ducklake_sort_info: "sort_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT",
  ducklake_sort_expression:
    "sort_id BIGINT, table_id BIGINT, sort_key_index BIGINT, expression VARCHAR, dialect VARCHAR, sort_direction VARCHAR, null_order VARCHAR",
  ducklake_delete_file:
    "delete_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, format VARCHAR, delete_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, encryption_key VARCHAR, partial_max BIGINT",
  ducklake_files_scheduled_for_deletion:
    "data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, schedule_start TIMESTAMPTZ",
  ducklake_inlined_data_tables: "table_id BIGINT, table_name VARCHAR, schema_version BIGINT",
  ducklake_column_tag:
    "table_id BIGINT, column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR",
  ducklake_tag: "object_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR",
} as const;

/** A table of the catalog. */
type CatalogTable = keyof typeof catalogTables;
