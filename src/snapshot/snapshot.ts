import type { ColumnTable } from "arquero";
import { withProvenance } from "../columns/column/table.js";
import { refuseNul } from "../columns/export/query-error.js";
import type { Finding } from "../core/finding.js";
import { Source } from "../source/source.js";
import type { Database } from "./database/database.js";
import type { LazyDatabase } from "./database/lazy-database.js";
import type { Manifest } from "./format/manifest.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { copyQuery, queryTable } from "./sql/query-table.js";
import { SemanticViews } from "./sql/semantic-views.js";
import { type ViewNotes, viewFindings } from "./sql/view-names.js";

const copyFormats = {
  csv: "FORMAT csv, HEADER",
  json: "FORMAT json, ARRAY true",
  parquet: "FORMAT parquet, COMPRESSION zstd",
} as const;

/** A format in which the result of a query is written. */
export type CopyFormat = keyof typeof copyFormats;

/** Options of `snapshot.sql()` and `snapshot.copy()`. */
export interface SqlOptions {
  /** Called with each finding about the views that the query names: columns that have other names in SQL. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

/** A snapshot folder, opened at one of its states. Nothing that a later pull does changes its answers. */
export class Snapshot extends Source {
  /** Which state of the folder this is, from 1. */
  readonly generation: number;
  /** When its records were read: the age of the data. */
  readonly readAt: Date;
  readonly #database: LazyDatabase;
  readonly #views = new SemanticViews();

  /**
   * @internal
   * @param path of the folder as it was given
   */
  constructor(database: LazyDatabase, manifest: Manifest, root: string, path: string) {
    super(new SnapshotReader(database, manifest, root, path), () => database.close());
    this.generation = manifest.generation;
    this.readAt = new Date(manifest.read_at);
    this.#database = database;
  }

  /**
   * Runs SQL (DuckDB's) over the snapshot. Tables: `sites`, `operations`, `blocks`, `datasets`, `layer_features`,
   * `property_definitions`, `property_changes`, `gone_features`; each has typed columns and `record`, the JSON text as
   * it came. Each semantic type is a view with the properties by column name: `SELECT "Severity" FROM TRENCHES`.
   * The files can be larger than memory; the result is a table in memory.
   *
   * SQL does not tell names apart that differ in case only. Such columns are called `Name (first 8 hex digits of its
   * key)`, `NAME (built-in)` or `name (field)`, each of them, and a finding tells so.
   *
   * @param query one `SELECT`, or what DuckDB takes in its place: `FROM TRENCHES`
   * @throws ArgumentError with DuckDB's own words if the query is wrong
   */
  async sql(query: string, options: SqlOptions = {}): Promise<ColumnTable> {
    const { database, notes } = await this.#prepare(query, options);
    const table = await queryTable(database, query, notes);
    return this.provenance ? withProvenance(table, this.provenance) : table;
  }

  /**
   * Runs SQL as `sql()` does and writes the result to a file; memory stays flat.
   *
   * @param query as of `sql()`
   * @param target path of the file, which is replaced
   * @param format `csv` with a header, `json` as one array, `parquet` compressed with zstd
   */
  async copy(query: string, target: string, format: CopyFormat, options: SqlOptions = {}): Promise<void> {
    const { database, notes } = await this.#prepare(query, options);
    await copyQuery(database, query, notes, target, copyFormats[format]);
  }

  async #prepare(query: string, { onFinding }: SqlOptions): Promise<{ database: Database; notes: ViewNotes }> {
    refuseNul(query);
    const database = await this.#database.get();
    const notes = await this.#views.create(database, query);
    if (onFinding) for (const finding of viewFindings(notes)) onFinding(finding);
    return { database, notes };
  }
}
