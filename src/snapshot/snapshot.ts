import type { ColumnTable } from "arquero";
import type { Params } from "../api/params.js";
import { withProvenance } from "../columns/column/table.js";
import { replaceFile } from "../columns/export/replace-file.js";
import { checkOptions } from "../core/check-options.js";
import type { Finding } from "../core/finding.js";
import { callback, flag, type OptionRules } from "../core/option-rules.js";
import type { Questions } from "../questions/questions.js";
import type { QuestionsOptions } from "../questions/questions-options.js";
import { Source } from "../source/source.js";
import { LazyDatabase } from "./database/lazy-database.js";
import type { Manifest } from "./format/manifest.js";
import type { AskedSnapshot } from "./questions/snapshot-questions.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { SqlSpace } from "./sql/sql-space.js";

const copyFormats = {
  csv: "FORMAT csv, HEADER",
  json: "FORMAT json, ARRAY true",
  parquet: "FORMAT parquet, COMPRESSION zstd",
} as const;

/** A format in which the result of a query is written. */
export type CopyFormat = keyof typeof copyFormats;

/** Options of `snapshot.sql()` and `snapshot.copy()`. */
export interface SqlOptions {
  /**
   * Whether a query can read nothing but the snapshot: no other file, no network, no extension, and no statement but
   * `SELECT`. Default false; give true where a query comes from somebody else.
   */
  readonly sandbox?: boolean | undefined;
  /** Called with each finding about the views that the query names: columns that have other names in SQL. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

const sqlRules: OptionRules<SqlOptions> = { sandbox: flag, onFinding: callback };

/** A snapshot folder, opened at one of its states. Nothing that a later pull does changes its answers. */
export class Snapshot extends Source {
  /** Which state of the folder this is, from 1. */
  readonly generation: number;
  /** When its records were read: the age of the data. */
  readonly readAt: Date;
  readonly #asked: AskedSnapshot;
  readonly #open: SqlSpace;
  readonly #sandbox: SqlSpace;
  /** A sandbox that can also write one file. */
  readonly #sandboxWith: (path: string) => SqlSpace;

  /**
   * @internal
   * @param path of the folder as it was given
   */
  constructor(database: LazyDatabase, manifest: Manifest, root: string, path: string) {
    const sandboxed = new LazyDatabase(root, manifest, []);
    const reader = new SnapshotReader(database, manifest, root, path);
    super(reader, async () => {
      await Promise.all([database.close(), sandboxed.close()]);
    });
    this.#asked = { reader, manifest, root };
    this.generation = manifest.generation;
    this.readAt = new Date(manifest.read_at);
    this.#open = new SqlSpace(database);
    this.#sandbox = new SqlSpace(sandboxed);
    this.#sandboxWith = (file) => {
      sandboxed.checkOpen();
      return new SqlSpace(new LazyDatabase(root, manifest, [file]));
    };
  }

  /**
   * The questions of `history()`, answered by an engine that reads the log where it lies instead of from memory: DuckDB in
   * this process, or Trino. `await questions.asOf("2025-06-30")` gives the table that `history.asOf("2025-06-30")` gives.
   *
   * @param params as of `layer()`
   * @param options as of `history()`, and `engine`: `duckdb({ memory: "512MB" })` (default), `trino({ … })`
   * @throws SnapshotError for a folder of an older format, which the next pull brings up to date
   * @throws EngineError if the engine gives no answer
   */
  async questions(params: Params<"layerFeatures">, options: QuestionsOptions = {}): Promise<Questions> {
    const { snapshotQuestions } = await import("./questions/snapshot-questions.js");
    return snapshotQuestions(this.#asked, params, options);
  }

  /**
   * Runs SQL (DuckDB's) over the snapshot. Tables: `sites`, `operations`, `blocks`, `datasets`, `layer_features`,
   * `property_definitions`, `property_changes`, `gone_features`; each has typed columns and `record`, the JSON text as
   * it came. `property_changes` has `value`, the logged value as text, beside the JSON of `new_value`; `layer_features` has
   * `properties`, the JSON of each present value by key. Keys and values are canonical: UUIDs in lower case, one text for
   * equal values. Each semantic type is a view with the properties by column name: `SELECT "Severity" FROM TRENCHES`.
   * `SHOW TABLES` lists them all. The files can be larger than memory; the result is a table in memory.
   *
   * SQL does not tell names apart that differ in case only. Such columns are called `Name (first 8 hex digits of its
   * key)`, `NAME (built-in)` or `name (field)`, each of them, and a finding tells so.
   *
   * A query can do what DuckDB can, with the rights of the user: read and write any file, load extensions. With
   * `sandbox: true` it can read the snapshot, and nothing else.
   *
   * @param query one `SELECT`, or what DuckDB takes in its place: `FROM TRENCHES`
   * @throws ArgumentError with DuckDB's own words if the query is wrong, or wants more than its sandbox gives
   */
  async sql(query: string, options: SqlOptions = {}): Promise<ColumnTable> {
    checkOptions("sql()", options, sqlRules);
    const table = await (options.sandbox ? this.#sandbox : this.#open).table(query, options.onFinding);
    return this.provenance ? withProvenance(table, this.provenance) : table;
  }

  /**
   * Runs SQL as `sql()` does and writes the result to a file; memory stays flat.
   *
   * @param query as of `sql()`
   * @param target path of the file, which is replaced, whole or not at all
   * @param format `csv` with a header, `json` as one array, `parquet` compressed with zstd
   */
  async copy(query: string, target: string, format: CopyFormat, options: SqlOptions = {}): Promise<void> {
    checkOptions("copy()", options, sqlRules);
    await replaceFile(target, async (path) => {
      const space = options.sandbox ? this.#sandboxWith(path) : this.#open;
      try {
        await space.copy(query, path, copyFormats[format], options.onFinding);
      } finally {
        if (options.sandbox) await space.close();
      }
    });
  }
}
