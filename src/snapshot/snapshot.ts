import type { ColumnTable } from "arquero";
import type { Params } from "../api/filters.js";
import { untilAborted } from "../core/abort-signal.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { QueryError, SnapshotError } from "../core/errors.js";
import { tellPromises } from "../core/forgotten-await.js";
import {
  abortSignal,
  callback,
  checkOptions,
  flag,
  integerFrom,
  type OptionRules,
  oneOf,
  text,
} from "../core/options.js";
import { resolveTimeZone, type TimeZones } from "../core/time-zone.js";
import type { LazyHistory } from "../history/lazy/lazy-history.js";
import type { LazyHistoryOptions } from "../history/lazy/open-lazy-history.js";
import type { Dialect, DialectName } from "../history/questions/sql/dialect/dialect.js";
import { dialectNames, dialects } from "../history/questions/sql/dialect/dialects.js";
import { Source } from "../source/source.js";
import { withProvenance } from "../tables/column/table.js";
import { replaceFile } from "../tables/export/replace-file.js";
import type { WriteFormat } from "../tables/sql/copy-select.js";
import { refuseNul } from "../tables/sql/query-error.js";
import { receivedTable, type SandboxAnswer, SandboxProcesses } from "../tables/sql/sandbox-process.js";
import type { Database } from "./database/database.js";
import { LazyDatabase } from "./database/lazy-database.js";
import { type Manifest, type StoredFile, storedFiles } from "./format/manifest.js";
import { fileBytes } from "./format/snapshot-paths.js";
import type { LazySnapshot } from "./questions/snapshot-lazy-history.js";
import type { TypePasts } from "./questions/type-pasts.js";
import type { FileFetcher } from "./remote/remote-folder.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { PastMacros } from "./sql/past-macros.js";
import { printedQuery } from "./sql/printed-query.js";
import { copyQuery, type NamedThings, queryTable } from "./sql/query-table.js";
import { SemanticViews } from "./sql/semantic-views.js";
import { columnsInUse, isName, sqlTokens } from "./sql/sql-tokens.js";
import type { OpenPast } from "./sql/type-past.js";
import { isRenamed, namedRelations, type ViewColumns, type ViewNotes, viewDiagnostics } from "./sql/view-names.js";

/** A query with its options. */
interface AskedQuery {
  readonly query: string;
  /** IANA time zone of calendar dates. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** Whether columns with values that do not match their declared type are followed by the logged values. */
  readonly asLogged?: boolean | undefined;
  /** Callback for diagnostics about the views and macros in the query. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Maximum rows of the table. */
  readonly limit?: number | undefined;
  /** Count of first rows to skip. */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches files of a remote folder. */
interface RemoteSource extends FileFetcher {
  close?(): Promise<void>;
}

/** A database of a snapshot, with the views that queries have named. */
export class SqlSpace {
  readonly #database: LazyDatabase;
  readonly #openPast: OpenPast;
  readonly #views = new SemanticViews();

  /** @param openPast opens the past of a semantic type for its views and macros */
  constructor(database: LazyDatabase, openPast: OpenPast) {
    this.#database = database;
    this.#openPast = openPast;
  }

  /** Returns the result of a query as a table. */
  async table(request: AskedQuery): Promise<ColumnTable> {
    // DuckDB reacts to interrupts only after it has finished a large value.
    return untilAborted(this.#table(request), request.signal);
  }

  async #table(request: AskedQuery): Promise<ColumnTable> {
    const { database, named } = await this.#prepare(request);
    return queryTable(database, request, named);
  }

  /**
   * Writes the result of a query to a file.
   */
  async copy(request: AskedQuery, path: string, format: WriteFormat): Promise<void> {
    const { database, named } = await this.#prepare(request);
    const diagnostics = await copyQuery(database, request.query, named, path, format);
    for (const diagnostic of diagnostics) request.onDiagnostic?.(diagnostic);
  }

  /** Returns a query as text for an engine that has the tables, but neither views nor macros. */
  async print(request: AskedQuery, dialect: Dialect): Promise<string> {
    const { relations, notes, past, dated } = await this.#name(request);
    const { text, columns } = await printedQuery(relations, dated, dialect, this.#openPast);
    this.#tell(request, { ...notes, columns }, past);
    return text;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(request: AskedQuery): Promise<{ database: Database; named: NamedThings }> {
    const { database, dated, relations, notes, past } = await this.#name(request);
    const columns: ViewColumns[] = [];
    const mismatches: Diagnostic[] = [];
    const overViews = new Map<string, string>();
    const tokens = sqlTokens(request.query, dialects.duckdb);
    for (const relation of relations.filter(({ kind }) => kind === "present" || kind === "history")) {
      const { renamed, diagnostics, asLogged } = await this.#views.make(database, relation, this.#openPast);
      const over = dated.asLogged && !relation.isOnlyListed ? asLogged : undefined;
      columns.push({ view: relation.name, renamed: over?.renamed ?? renamed });
      if (over) overViews.set(relation.name, over.statement);
      // A string may contain the name of a view, and a list of tables names all of them; neither reads the view.
      if (tokens.some((token) => isName(token, relation.name))) {
        const isUsed = columnsInUse(tokens, relation.name);
        mismatches.push(...diagnostics.filter(({ facts }) => isUsed(String(facts?.["column"]))));
      }
    }
    if (request.onDiagnostic) mismatches.push(...(await past.mismatches(tokens)));
    const all = { ...notes, columns: [...columns, ...notes.columns] };
    this.#tell(request, all, past, mismatches);
    return { database, named: { notes: all, past, overViews } };
  }

  /** The views and macros in a query. */
  async #name({ query, timeZone, asLogged = false }: AskedQuery) {
    refuseNul(query);
    refuseEmpty(query);
    const dated = { query, timeZone: resolveTimeZone(timeZone), asLogged };
    const database = await this.#database.get();
    const groups = await namedRelations(database, query);
    const relations = groups.flat();
    const past = await PastMacros.of(relations, dated, this.#openPast);
    const notes: ViewNotes = { renamed: groups.filter((group) => group.some(isRenamed)), columns: past.columns };
    return { database, dated, relations, notes, past };
  }

  #tell(
    { onDiagnostic }: AskedQuery,
    notes: ViewNotes,
    past: PastMacros,
    mismatches: readonly Diagnostic[] = [],
  ): void {
    if (onDiagnostic)
      for (const diagnostic of [...viewDiagnostics(notes), ...past.diagnostics(), ...mismatches])
        onDiagnostic(diagnostic);
  }
}

/** Fetcher for a process that cannot fetch files itself: it throws an error with the missing files. */
export function askForFiles(root: string): FileFetcher {
  return {
    async fetch(files) {
      const lacking = files.filter((file) => fileBytes(root, file.path) !== file.bytes).map(({ path }) => path);
      if (lacking.length === 0) return;
      throw new SnapshotError(`${lacking.length} files of the snapshot are not fetched yet.`, { facts: { lacking } });
    },
  };
}

/** The missing files of a generation in such an error. */
function filesLacked(error: unknown, manifest: Manifest): readonly StoredFile[] {
  const lacking = error instanceof SnapshotError ? error.facts["lacking"] : undefined;
  if (!Array.isArray(lacking)) return [];
  const paths = new Set(lacking);
  return storedFiles(manifest).filter(({ path }) => paths.has(path));
}

/** @throws QueryError for a query without a statement: empty, or only a comment */
function refuseEmpty(query: string): void {
  if (sqlTokens(query, dialects.duckdb).some(({ text }) => text !== ";")) return;
  throw new QueryError(`sql(): the query ${query.trim() === "" ? "is empty" : "has only comments"}.`, {
    hint: 'Write a SELECT, for example "FROM layer_features LIMIT 5".',
    facts: { query },
  });
}

/** A query for a separate process. */
export interface SandboxJob {
  readonly snapshot: {
    readonly root: string;
    readonly path: string;
    readonly manifest: Manifest;
    /** Whether files may be missing. */
    readonly isPartial: boolean;
  };
  readonly request: Omit<AskedQuery, "onDiagnostic" | "signal"> & { readonly tells: boolean };
  /** Output file of the result; undefined for a table. */
  readonly target: string | undefined;
  readonly format: WriteFormat | undefined;
}

/** Options of `snapshot.sql()`. */
export interface SqlOptions {
  /**
   * Whether a query can read only this snapshot: no other file, no network, no extension, and no statement except
   * `SELECT`. Set it for queries from other people. Default: false.
   */
  readonly sandbox?: boolean | undefined;
  /**
   * IANA time zone of calendar dates: `TRENCHES_AT('2025-06-30')` includes the whole day there. Default: the zone of the
   * snapshot if it is one for all sites, else `"UTC"`; never the machine's zone.
   */
  readonly timeZone?: string | undefined;
  /**
   * Whether views of semantic types and `…_AT` have an additional column `<name> (as logged)` after each column with
   * values that do not match its declared type, and are null. It contains all values as logged, as JSON text. `…_AT`
   * has the same additional columns at each time: one for each column that ever had such a value. Default: false.
   */
  readonly asLogged?: boolean | undefined;
  /**
   * Callback for diagnostics about the views and macros in the query: columns with other names in SQL, values that are
   * null in a view because they do not match their declared type, and times after the log was read.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Maximum rows of the result; further rows are not computed if the query allows it. Default: all. */
  readonly limit?: number | undefined;
  /**
   * Count of first rows to skip. They are the same rows each time only with an ORDER BY. Default: 0.
   */
  readonly offset?: number | undefined;
  /** Signal to end the query, which then rejects with the signal's reason. Default in a notebook: that of the cell. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `snapshot.writeTo()`. */
export type WriteToOptions = Omit<SqlOptions, "limit" | "offset" | "signal">;

/** Options of `snapshot.toSQL()`. */
export interface ToSQLOptions extends Omit<SqlOptions, "sandbox" | "limit" | "offset" | "signal"> {
  /** SQL dialect. Default: `"duckdb"`. */
  readonly dialect?: DialectName | undefined;
}

const copyRules: OptionRules<WriteToOptions> = {
  sandbox: flag,
  timeZone: text,
  asLogged: flag,
  onDiagnostic: callback,
};
const sqlRules: OptionRules<SqlOptions> = {
  ...copyRules,
  limit: integerFrom(0),
  offset: integerFrom(0),
  signal: abortSignal,
};
const printRules: OptionRules<ToSQLOptions> = {
  timeZone: text,
  asLogged: flag,
  onDiagnostic: callback,
  dialect: oneOf(...dialectNames),
};

/** How a snapshot was opened. */
interface OpenedFrom {
  /** The folder or address as passed by the caller. */
  readonly path: string;
  /** Fetches files that are not there yet, for remote folders. */
  readonly remote?: RemoteSource | undefined;
  /** Time zone of the sites, or time zones by site id. */
  readonly timeZone?: TimeZones | undefined;
}

/** A snapshot folder, opened at one of its generations. Later pulls do not change its results. */
export class Snapshot extends Source {
  static {
    tellPromises("snapshot", Snapshot.prototype);
  }

  /** Number of this generation in the folder, from 1. */
  readonly generation: number;
  /** Time when its records were read: the age of the data. */
  readonly readAt: Date;
  readonly #opened: LazySnapshot;
  readonly #database: LazyDatabase;
  readonly #path: string;
  readonly #open: SqlSpace;
  readonly #openPast: OpenPast;
  /** Processes for queries in a sandbox. */
  readonly #processes = new SandboxProcesses();
  /** The database within such a process. */
  #sandbox: SqlSpace | undefined;

  /**
   * @internal
   * @param root the folder
   */
  constructor(database: LazyDatabase, manifest: Manifest, root: string, { path, remote, timeZone }: OpenedFrom) {
    const reader = new SnapshotReader(database, manifest, root, path, remote);
    super(
      reader,
      async () => {
        this.#processes.close();
        await Promise.all([database.close(), this.#sandbox?.close(), remote?.close?.()]);
      },
      timeZone,
    );
    this.#opened = { reader, manifest, root, timeZone, fetcher: remote };
    this.#path = path;
    this.#database = database;
    this.generation = manifest.generation;
    this.readAt = new Date(manifest.read_at);
    let pasts: TypePasts | undefined;
    this.#openPast = async (type, asLogged) => {
      const { TypePasts: Pasts } = await import("./questions/type-pasts.js");
      pasts ??= new Pasts(this.#opened, database);
      return pasts.open(type, asLogged);
    };
    this.#open = new SqlSpace(database, this.#openPast);
  }

  /**
   * Returns the methods of `history()`, computed by an engine on the stored log instead of in memory: DuckDB in this
   * process, or Trino. `await lazy.asOf("2025-06-30")` returns the table of `history.asOf("2025-06-30")`.
   *
   * @param params of `layer()`
   * @param options of `history()`, and `engine`: `duckdb({ memory: "512MB" })` (default), `trino({ … })`
   * @example
   * ```ts
   * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
   * (await lazy.asOf("2024-06-30")).groupby("STATUS").count()
   * ```
   * @throws EngineError if the engine fails
   */
  async lazyHistory(params: Params<"layerFeatures">, options: LazyHistoryOptions = {}): Promise<LazyHistory> {
    const { snapshotLazyHistory } = await import("./questions/snapshot-lazy-history.js");
    return snapshotLazyHistory(this.#opened, params, options);
  }

  /**
   * Returns the result of an SQL query (DuckDB) over the snapshot. Tables: `sites`, `operations`, `blocks`, `datasets`,
   * `layer_features`, `property_definitions`, `property_changes`, `gone_features`; each has typed columns and `record`,
   * the original JSON text. `property_changes` has `value`, the logged value as text, in addition to the JSON of
   * `new_value`; `layer_features` has `properties`, the JSON of each current value by key. Keys and values are
   * canonical: UUIDs in lower case, one text for equal values. Each semantic type is a view with the properties by
   * column name: `SELECT "Severity" FROM TRENCHES`. `SHOW TABLES` lists them all. The files can be larger than memory;
   * the result is a table in memory.
   *
   * Each semantic type also has its past, as in a history: `TRENCHES_AT('2025-06-30')` and
   * `TRENCHES_STATES('2025-06-30')`, with a calendar date or ISO week (all of it in `timeZone`) or an instant with its zone as
   * a literal, `TRENCHES_KNOWN_AT('2025-06-30', '2025-07-02')`, its past as known at the second time, and the view
   * `TRENCHES_HISTORY` with the intervals of every column. Features that are gone are part of earlier dates.
   *
   * SQL ignores case in names. Columns whose names differ only in case are called `Name (first 8 hex digits of its
   * key)`, `NAME (built-in)` or `name (field)`, and a diagnostic lists them.
   *
   * Values have the same types as in `layer.sql()`; JSON is text. A view needs memory only for the selected columns.
   *
   * A query has the rights of the user: it can read and write any file and load extensions. With `sandbox: true` it can
   * read only the snapshot.
   *
   * @param query one `SELECT`, or a DuckDB equivalent: `FROM TRENCHES`
   * @example
   * ```ts
   * await snapshot.sql("SELECT name, semantic_type, status FROM datasets WHERE site_id = 101 ORDER BY id")
   * ```
   * @throws QueryError with DuckDB's message if the query is invalid or exceeds its sandbox
   */
  async sql(query: string, options: SqlOptions = {}): Promise<ColumnTable> {
    checkOptions("sql()", options, sqlRules);
    const zoned = this.#zoned(options);
    const table = await (options.sandbox ? this.#ask(query, zoned) : this.#open.table({ query, ...zoned }));
    return this.provenance ? withProvenance(table, this.provenance) : table;
  }

  /** Options with the time zone of the snapshot as default. Calendar dates in SQL have one zone for all sites. */
  #zoned<Options extends Pick<SqlOptions, "timeZone">>(options: Options): Options {
    return options.timeZone === undefined && typeof this.timeZone === "string"
      ? { ...options, timeZone: this.timeZone }
      : options;
  }

  async #ask(query: string, options: SqlOptions): Promise<ColumnTable> {
    const { table } = await this.#runApart(query, options);
    if (!table) throw new TypeError("a query without a table");
    return receivedTable(table);
  }

  async #runApart(query: string, options: SqlOptions, target?: string, format?: WriteFormat): Promise<SandboxAnswer> {
    const { sandbox: _, signal, onDiagnostic, ...rest } = options;
    this.#database.checkOpen();
    const { manifest, root, fetcher } = this.#opened;
    const job: SandboxJob = {
      snapshot: { root, path: this.#path, manifest, isPartial: fetcher !== undefined },
      request: { query, ...rest, tells: onDiagnostic !== undefined },
      target,
      format,
    };
    const answer = await this.#answer(job, signal);
    for (const diagnostic of answer.diagnostics) onDiagnostic?.(diagnostic);
    return answer;
  }

  /**
   * A sandboxed process cannot fetch files: it reports missing files, and the query is repeated after they are fetched.
   */
  async #answer(job: SandboxJob, signal: AbortSignal | undefined): Promise<SandboxAnswer> {
    for (;;) {
      try {
        return await this.#processes.run(job, signal);
      } catch (error) {
        const lacking = filesLacked(error, this.#opened.manifest);
        if (!this.#opened.fetcher || lacking.length === 0) throw error;
        await this.#opened.fetcher.fetch(lacking, signal);
      }
    }
  }

  /** @internal The sandboxed database of a separate process; with a file that it may write, a new one for that file. */
  sandboxed(file?: string): SqlSpace {
    const { manifest, root, fetcher } = this.#opened;
    const shutIn = (sandbox: readonly string[]) =>
      new SqlSpace(new LazyDatabase(root, manifest, { sandbox, fetcher }), this.#openPast);
    if (file !== undefined) return shutIn([file]);
    this.#sandbox ??= shutIn([]);
    return this.#sandbox;
  }

  /**
   * Writes the result of a query, as in `sql()`, to a file, with constant memory.
   *
   * @param query of `sql()`
   * @param target path of the file, which is replaced atomically
   * @param format `csv` with a header, `json` as one array, `parquet` compressed with zstd; GeoParquet if a column is a
   *   GEOMETRY or is called `geometry`, which is GeoJSON in CSV and JSON
   * @example
   * ```ts
   * await snapshot.writeTo("FROM TRENCHES_AT('2024-06-30')", "trenches.parquet", "parquet");
   * ```
   */
  async writeTo(query: string, target: string, format: WriteFormat, options: WriteToOptions = {}): Promise<void> {
    checkOptions("copy()", options, copyRules);
    const zoned = this.#zoned(options);
    await replaceFile(target, async (path) => {
      if (options.sandbox) await this.#runApart(query, zoned, path, format);
      else await this.#open.copy({ query, ...zoned }, path, format);
    });
  }

  /**
   * Returns the text of a query for an engine that has the snapshot's tables, as declared by `siteframe ddl`, but not
   * the views and macros of semantic types: those in the query become CTEs (members of its `WITH`). The rest is kept as
   * it is, so write it in the engine's dialect. Nothing of the query is run.
   *
   * @param query of `sql()`, or a macro or view alone: `TRENCHES_AT('2025-06-30')`
   * @example
   * ```ts
   * const text = await snapshot.toSQL("SELECT count(*) FROM TRENCHES", { dialect: "trino" });
   * text.split("\n")[0]
   * ```
   * @throws ArgumentError for a macro whose argument is not a literal or not a time
   * @throws QueryError for a CTE of the query with the name of a view that it reads
   */
  async toSQL(query: string, options: ToSQLOptions = {}): Promise<string> {
    checkOptions("toSQL()", options, printRules);
    const { dialect = "duckdb", ...rest } = this.#zoned(options);
    return this.#open.print({ query, ...rest }, dialects[dialect]);
  }
}
