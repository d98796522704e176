import type { ColumnTable } from "arquero";
import { refuseNul } from "../../columns/export/query-error.js";
import type { Finding } from "../../core/finding.js";
import type { Database } from "../database/database.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import { copyQuery, queryTable } from "./query-table.js";
import { SemanticViews } from "./semantic-views.js";
import { type ViewNotes, viewFindings } from "./view-names.js";

/** Takes findings about the views that a query names. */
export type OnFinding = ((finding: Finding) => void) | undefined;

/** Where queries run: a database of a snapshot, and the views that they named. */
export class SqlSpace {
  readonly #database: LazyDatabase;
  readonly #views = new SemanticViews();

  constructor(database: LazyDatabase) {
    this.#database = database;
  }

  /** The result of a query as a table. */
  async table(query: string, onFinding: OnFinding): Promise<ColumnTable> {
    const { database, notes } = await this.#prepare(query, onFinding);
    return queryTable(database, query, notes);
  }

  /**
   * Writes the result of a query to a file.
   *
   * @param format options of DuckDB's COPY
   */
  async copy(query: string, path: string, format: string, onFinding: OnFinding): Promise<void> {
    const { database, notes } = await this.#prepare(query, onFinding);
    await copyQuery(database, query, notes, path, format);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(query: string, onFinding: OnFinding): Promise<{ database: Database; notes: ViewNotes }> {
    refuseNul(query);
    const database = await this.#database.get();
    const notes = await this.#views.create(database, query);
    if (onFinding) for (const finding of viewFindings(notes)) onFinding(finding);
    return { database, notes };
  }
}
