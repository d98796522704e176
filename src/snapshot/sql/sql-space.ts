import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { untilAborted } from "../../core/until-aborted.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { resolveTimeZone } from "../../history/time/valid-time.js";
import { refuseNul } from "../../tables/sql/query-error.js";
import type { Database } from "../database/database.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import { namedRelations } from "./named-relations.js";
import { PastMacros } from "./past-macros.js";
import { printedQuery } from "./printed-query.js";
import { type CopyFormat, copyQuery, type NamedThings, queryTable } from "./query-table.js";
import { refuseEmpty } from "./refuse-empty.js";
import { SemanticViews } from "./semantic-views.js";
import { isName, sqlTokens } from "./sql-tokens.js";
import type { OpenPast } from "./type-past.js";
import { isRenamed, type ViewColumns, type ViewNotes, viewFindings } from "./view-names.js";

/** A query, and how it is asked. */
export interface AskedQuery {
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

/** What was, for the views and macros of a space. */
export interface SqlPast {
  /** Whether the snapshot's format has it. */
  readonly isThere: boolean;
  readonly open: OpenPast;
}

/** Where queries run: a database of a snapshot, and the views that they named. */
export class SqlSpace {
  readonly #database: LazyDatabase;
  readonly #past: SqlPast;
  readonly #views = new SemanticViews();

  constructor(database: LazyDatabase, past: SqlPast) {
    this.#database = database;
    this.#past = past;
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
    await copyQuery(database, asked.query, named, path, format);
  }

  /** A query as text for an engine that has the tables, but neither views nor macros. */
  async print(asked: AskedQuery, dialect: Dialect): Promise<string> {
    const { relations, notes, past, dated } = await this.#name(asked);
    const { text, columns } = await printedQuery(relations, dated, dialect, this.#past.open);
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
    const tokens = sqlTokens(asked.query, "duckdb");
    for (const relation of relations.filter(({ kind }) => kind === "present" || kind === "history")) {
      const { renamed, findings, asLogged } = await this.#views.make(database, relation, this.#past.open);
      const over = dated.asLogged && !relation.isOnlyListed ? asLogged : undefined;
      columns.push({ view: relation.name, renamed: over?.renamed ?? renamed });
      if (over) overViews.set(relation.name, over.statement);
      // A text may say what a view is called, and a list of tables names all of them: neither reads one.
      if (tokens.some((token) => isName(token, relation.name))) mismatches.push(...findings);
    }
    if (asked.onFinding) mismatches.push(...(await past.mismatches()));
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
    const groups = await namedRelations(database, query, this.#past.isThere);
    const relations = groups.flat();
    const past = await PastMacros.of(relations, dated, this.#past.open);
    const notes: ViewNotes = { renamed: groups.filter((group) => group.some(isRenamed)), columns: past.columns };
    return { database, dated, relations, notes, past };
  }

  #tell({ onFinding }: AskedQuery, notes: ViewNotes, past: PastMacros, mismatches: readonly Finding[] = []): void {
    if (onFinding)
      for (const finding of [...viewFindings(notes), ...past.findings(), ...mismatches]) onFinding(finding);
  }
}
