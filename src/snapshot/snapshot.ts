import type { ColumnTable } from "arquero";
import type { Params } from "../api/filters.js";
import { ArgumentError, SnapshotError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
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
import { untilAborted } from "../core/until-aborted.js";
import type { Questions } from "../history/questions/questions.js";
import type { QuestionsOptions } from "../history/questions/questions-options.js";
import type { Dialect, DialectName } from "../history/questions/sql/dialect/dialect.js";
import { dialectNames, dialects } from "../history/questions/sql/dialect/dialects.js";
import { resolveTimeZone } from "../history/time/valid-time.js";
import { Source } from "../source/source.js";
import { withProvenance } from "../tables/column/table.js";
import { replaceFile } from "../tables/export/replace-file.js";
import type { CopyFormat } from "../tables/sql/copy-select.js";
import { refuseNul } from "../tables/sql/query-error.js";
import { receivedTable, type SandboxAnswer, SandboxProcesses } from "../tables/sql/sandbox-process.js";
import type { Database } from "./database/database.js";
import { LazyDatabase } from "./database/lazy-database.js";
import { type Manifest, type StoredFile, storedFiles } from "./format/manifest.js";
import { fileBytes } from "./format/own-paths.js";
import type { AskedSnapshot } from "./questions/snapshot-questions.js";
import type { TypePasts } from "./questions/type-pasts.js";
import type { FileFetcher } from "./remote/remote-folder.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { PastMacros } from "./sql/past-macros.js";
import { printedQuery } from "./sql/printed-query.js";
import { copyQuery, type NamedThings, queryTable } from "./sql/query-table.js";
import { SemanticViews } from "./sql/semantic-views.js";
import { isName, sqlTokens } from "./sql/sql-tokens.js";
import type { OpenPast } from "./sql/type-past.js";
import { columnsInUse } from "./sql/used-columns.js";
import { isRenamed, namedRelations, type ViewColumns, type ViewNotes, viewFindings } from "./sql/view-names.js";

/** A query, and how it is asked. */
interface AskedQuery {
  readonly query: string;
  /** IANA time zone in which calendar dates begin and end; UTC if absent. */
  readonly timeZone?: string | undefined;
  /** Whether columns with values of other types than their definitions' have what was logged behind them. */
  readonly asLogged?: boolean | undefined;
  /** Takes findings about the views and macros that the query names. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** The most rows of a table. */
  readonly limit?: number | undefined;
  /** How many first rows are left out. */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Brings files of a folder that lies elsewhere. */
interface RemoteSource extends FileFetcher {
  close?(): Promise<void>;
}

/** Where queries run: a database of a snapshot, and the views that they named. */
export class SqlSpace {
  readonly #database: LazyDatabase;
  readonly #openPast: OpenPast;
  readonly #views = new SemanticViews();

  /** @param openPast opens the past of a semantic type for its views and macros */
  constructor(database: LazyDatabase, openPast: OpenPast) {
    this.#database = database;
    this.#openPast = openPast;
  }

  /** The result of a query as a table. */
  async table(asked: AskedQuery): Promise<ColumnTable> {
    // DuckDB looks up from a large value only when it is done with it.
    return untilAborted(this.#table(asked), asked.signal);
  }

  async #table(asked: AskedQuery): Promise<ColumnTable> {
    const { database, named } = await this.#prepare(asked);
    return queryTable(database, asked, named);
  }

  /**
   * Writes the result of a query to a file.
   */
  async copy(asked: AskedQuery, path: string, format: CopyFormat): Promise<void> {
    const { database, named } = await this.#prepare(asked);
    const findings = await copyQuery(database, asked.query, named, path, format);
    for (const finding of findings) asked.onFinding?.(finding);
  }

  /** A query as text for an engine that has the tables, but neither views nor macros. */
  async print(asked: AskedQuery, dialect: Dialect): Promise<string> {
    const { relations, notes, past, dated } = await this.#name(asked);
    const { text, columns } = await printedQuery(relations, dated, dialect, this.#openPast);
    this.#tell(asked, { ...notes, columns }, past);
    return text;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(asked: AskedQuery): Promise<{ database: Database; named: NamedThings }> {
    const { database, dated, relations, notes, past } = await this.#name(asked);
    const columns: ViewColumns[] = [];
    const mismatches: Finding[] = [];
    const overViews = new Map<string, string>();
    const tokens = sqlTokens(asked.query, dialects.duckdb);
    for (const relation of relations.filter(({ kind }) => kind === "present" || kind === "history")) {
      const { renamed, findings, asLogged } = await this.#views.make(database, relation, this.#openPast);
      const over = dated.asLogged && !relation.isOnlyListed ? asLogged : undefined;
      columns.push({ view: relation.name, renamed: over?.renamed ?? renamed });
      if (over) overViews.set(relation.name, over.statement);
      // A text may say what a view is called, and a list of tables names all of them: neither reads one.
      if (tokens.some((token) => isName(token, relation.name))) {
        const isUsed = columnsInUse(tokens, relation.name);
        mismatches.push(...findings.filter(({ facts }) => isUsed(String(facts?.["column"]))));
      }
    }
    if (asked.onFinding) mismatches.push(...(await past.mismatches(tokens)));
    const all = { ...notes, columns: [...columns, ...notes.columns] };
    this.#tell(asked, all, past, mismatches);
    return { database, named: { notes: all, past, overViews } };
  }

  /** What a query names. */
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

  #tell({ onFinding }: AskedQuery, notes: ViewNotes, past: PastMacros, mismatches: readonly Finding[] = []): void {
    if (onFinding)
      for (const finding of [...viewFindings(notes), ...past.findings(), ...mismatches]) onFinding(finding);
  }
}

/** Of a process that cannot fetch files itself: an error asks for those that are not there. */
export function askForFiles(root: string): FileFetcher {
  return {
    async fetch(files) {
      const lacking = files.filter((file) => fileBytes(root, file.path) !== file.bytes).map(({ path }) => path);
      if (lacking.length === 0) return;
      throw new SnapshotError(`${lacking.length} files of the snapshot are not here yet.`, { facts: { lacking } });
    },
  };
}

/** The files of a state that such an error asks for. */
function filesLacked(error: unknown, manifest: Manifest): readonly StoredFile[] {
  const lacking = error instanceof SnapshotError ? error.facts["lacking"] : undefined;
  if (!Array.isArray(lacking)) return [];
  const paths = new Set(lacking);
  return storedFiles(manifest).filter(({ path }) => paths.has(path));
}

/** @throws ArgumentError for a query without a statement: an empty one, one that is only a comment */
function refuseEmpty(query: string): void {
  if (sqlTokens(query, dialects.duckdb).some(({ text }) => text !== ";")) return;
  throw new ArgumentError(
    `The query ${query.trim() === "" ? "is empty" : "holds no statement, but a comment or `;`"}.`,
    {
      hint: "For example: FROM layer_features LIMIT 5.",
      facts: { query },
    },
  );
}

/** A query for a process of its own. */
export interface SandboxJob {
  readonly snapshot: {
    readonly root: string;
    readonly path: string;
    readonly manifest: Manifest;
    /** Whether files may not be there yet. */
    readonly isPartial: boolean;
  };
  readonly asked: Omit<AskedQuery, "onFinding" | "signal"> & { readonly tells: boolean };
  /** The file that its result is written to; a table if absent. */
  readonly target: string | undefined;
  readonly format: CopyFormat | undefined;
}

/** Options of `snapshot.sql()`. */
export interface SqlOptions {
  /**
   * Whether a query can read nothing but the snapshot: no other file, no network, no extension, and no statement but
   * `SELECT`. Default false; give true where a query comes from somebody else.
   */
  readonly sandbox?: boolean | undefined;
  /**
   * IANA time zone in which calendar dates begin and end: `TRENCHES_AT('2025-06-30')` includes the whole day there.
   * Default `"UTC"`; never the machine's.
   */
  readonly timeZone?: string | undefined;
  /**
   * Whether, in views of semantic types and in `…_AT`, a column of which values are not of its definition's type, and so
   * null, has another one behind it, `<name> (as logged)`, with all values as they were logged, as JSON text. `…_AT` has
   * the same columns at each time: those of which a value ever was not of the type. Default false.
   */
  readonly asLogged?: boolean | undefined;
  /**
   * Called with each finding about the views and macros that the query names: columns that have other names in SQL,
   * values that are null in a view since they are not of their definition's type, and times after the log was read.
   */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** The most rows of the result; further ones are not computed where the query allows it. Default: all. */
  readonly limit?: number | undefined;
  /**
   * How many first rows of the result are left out. Default 0. They are the same rows each time where the query says the
   * order.
   */
  readonly offset?: number | undefined;
  /** Ends the query; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `snapshot.copy()`. */
export type CopyOptions = Omit<SqlOptions, "limit" | "offset" | "signal">;

/** Options of `snapshot.printSql()`. */
export interface PrintSqlOptions extends Omit<SqlOptions, "sandbox" | "limit" | "offset" | "signal"> {
  /** Whose SQL it is. Default `"duckdb"`. */
  readonly dialect?: DialectName | undefined;
}

const copyRules: OptionRules<CopyOptions> = { sandbox: flag, timeZone: text, asLogged: flag, onFinding: callback };
const sqlRules: OptionRules<SqlOptions> = {
  ...copyRules,
  limit: integerFrom(0),
  offset: integerFrom(0),
  signal: abortSignal,
};
const printRules: OptionRules<PrintSqlOptions> = {
  timeZone: text,
  asLogged: flag,
  onFinding: callback,
  dialect: oneOf(...dialectNames),
};

/** A snapshot folder, opened at one of its states. Nothing that a later pull does changes its answers. */
export class Snapshot extends Source {
  static {
    tellPromises("snapshot", Snapshot.prototype);
  }

  /** Which state of the folder this is, from 1. */
  readonly generation: number;
  /** When its records were read: the age of the data. */
  readonly readAt: Date;
  readonly #asked: AskedSnapshot;
  readonly #database: LazyDatabase;
  readonly #path: string;
  readonly #open: SqlSpace;
  readonly #openPast: OpenPast;
  /** Where queries in a sandbox run. */
  readonly #processes = new SandboxProcesses();
  /** In such a process. */
  #sandbox: SqlSpace | undefined;

  /**
   * @internal
   * @param path of the folder as it was given
   * @param remote brings files that are not there yet, where the folder lies elsewhere
   */
  constructor(database: LazyDatabase, manifest: Manifest, root: string, path: string, remote?: RemoteSource) {
    const reader = new SnapshotReader(database, manifest, root, path, remote);
    super(reader, async () => {
      this.#processes.close();
      await Promise.all([database.close(), this.#sandbox?.close(), remote?.close?.()]);
    });
    this.#asked = { reader, manifest, root, fetcher: remote };
    this.#path = path;
    this.#database = database;
    this.generation = manifest.generation;
    this.readAt = new Date(manifest.read_at);
    let pasts: TypePasts | undefined;
    this.#openPast = async (type, asLogged) => {
      const { TypePasts: Pasts } = await import("./questions/type-pasts.js");
      pasts ??= new Pasts(this.#asked, database);
      return pasts.open(type, asLogged);
    };
    this.#open = new SqlSpace(database, this.#openPast);
  }

  /**
   * The questions of `history()`, answered by an engine that reads the log where it lies instead of from memory: DuckDB in
   * this process, or Trino. `await questions.asOf("2025-06-30")` gives the table that `history.asOf("2025-06-30")` gives.
   *
   * @param params as of `layer()`
   * @param options as of `history()`, and `engine`: `duckdb({ memory: "512MB" })` (default), `trino({ … })`
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
   * Each semantic type has its past beside it, as a history says it: `TRENCHES_AT('2025-06-30')` and
   * `TRENCHES_STATES('2025-06-30')`, which take a calendar date (the whole day in `timeZone`) or an instant with its zone as
   * a literal, `TRENCHES_KNOWN_AT('2025-06-30', '2025-07-02')`, its past by what was known at the second time, and the view
   * `TRENCHES_HISTORY` with the intervals of every column. Features that are gone are part of the dates before that.
   *
   * SQL does not tell names apart that differ in case only. Such columns are called `Name (first 8 hex digits of its
   * key)`, `NAME (built-in)` or `name (field)`, each of them, and a finding tells so.
   *
   * Values stay as they are, as those of `layer.sql()`; JSON is text. A view takes memory for the columns that are asked for.
   *
   * A query can do what DuckDB can, with the rights of the user: read and write any file, load extensions. With
   * `sandbox: true` it can read the snapshot, and nothing else.
   *
   * @param query one `SELECT`, or what DuckDB takes in its place: `FROM TRENCHES`
   * @throws ArgumentError with DuckDB's own words if the query is wrong, or wants more than its sandbox gives
   */
  async sql(query: string, options: SqlOptions = {}): Promise<ColumnTable> {
    checkOptions("sql()", options, sqlRules);
    const table = await (options.sandbox ? this.#ask(query, options) : this.#open.table({ query, ...options }));
    return this.provenance ? withProvenance(table, this.provenance) : table;
  }

  async #ask(query: string, options: SqlOptions): Promise<ColumnTable> {
    const { table } = await this.#runApart(query, options);
    if (!table) throw new TypeError("a query without a table");
    return receivedTable(table);
  }

  async #runApart(query: string, options: SqlOptions, target?: string, format?: CopyFormat): Promise<SandboxAnswer> {
    const { sandbox: _, signal, onFinding, ...rest } = options;
    this.#database.checkOpen();
    const { manifest, root, fetcher } = this.#asked;
    const job: SandboxJob = {
      snapshot: { root, path: this.#path, manifest, isPartial: fetcher !== undefined },
      asked: { query, ...rest, tells: onFinding !== undefined },
      target,
      format,
    };
    const answer = await this.#answer(job, signal);
    for (const finding of answer.findings) onFinding?.(finding);
    return answer;
  }

  /** A process that is shut in fetches nothing: it says which files it lacks, and is asked again when they are there. */
  async #answer(job: SandboxJob, signal: AbortSignal | undefined): Promise<SandboxAnswer> {
    for (;;) {
      try {
        return await this.#processes.run(job, signal);
      } catch (error) {
        const lacking = filesLacked(error, this.#asked.manifest);
        if (!this.#asked.fetcher || lacking.length === 0) throw error;
        await this.#asked.fetcher.fetch(lacking, signal);
      }
    }
  }

  /** @internal What is shut in, in a process of its own; with a file that it may write, one for that alone. */
  sandboxed(file?: string): SqlSpace {
    const { manifest, root, fetcher } = this.#asked;
    const shutIn = (sandbox: readonly string[]) =>
      new SqlSpace(new LazyDatabase(root, manifest, { sandbox, fetcher }), this.#openPast);
    if (file !== undefined) return shutIn([file]);
    this.#sandbox ??= shutIn([]);
    return this.#sandbox;
  }

  /**
   * Runs SQL as `sql()` does and writes the result to a file; memory stays flat.
   *
   * @param query as of `sql()`
   * @param target path of the file, which is replaced, whole or not at all
   * @param format `csv` with a header, `json` as one array, `parquet` compressed with zstd; GeoParquet if a column is a GEOMETRY or
   *   is called `geometry`, which CSV and JSON have as GeoJSON
   */
  async copy(query: string, target: string, format: CopyFormat, options: CopyOptions = {}): Promise<void> {
    checkOptions("copy()", options, copyRules);
    await replaceFile(target, async (path) => {
      if (options.sandbox) await this.#runApart(query, options, path, format);
      else await this.#open.copy({ query, ...options }, path, format);
    });
  }

  /**
   * The text of a query for an engine that has the snapshot's tables, as `siteframe ddl` declares them, but not the views
   * and macros of semantic types: those that the query names become members of its `WITH`. The rest is printed as it is,
   * so write it in the engine's words. It runs nothing of the query.
   *
   * @param query as of `sql()`, or a macro or view alone: `TRENCHES_AT('2025-06-30')`
   * @throws ArgumentError for a macro whose argument is no literal, or no time, and for a member of the query's own `WITH`
   *   that is called like a view that it reads
   */
  async printSql(query: string, options: PrintSqlOptions = {}): Promise<string> {
    checkOptions("printSql()", options, printRules);
    const { dialect = "duckdb", ...rest } = options;
    return this.#open.print({ query, ...rest }, dialects[dialect]);
  }
}
