import { beyondReading } from "../../history/beyond-reading.js";
import type { Dialect } from "../../questions/sql/dialect/dialect.js";
import { layerNames } from "../../questions/sql/members/layer-columns.js";
import type { Scope } from "../../questions/sql/scope/scope.js";
import { allIntervalsTable } from "../../questions/sql/tables/all-intervals.js";
import { asOfTable } from "../../questions/sql/tables/as-of.js";
import { presentTable } from "../../questions/sql/tables/present-table.js";
import { statesTable } from "../../questions/sql/tables/states.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import type { TypePast } from "../sql/type-past.js";
import { DuckDBEngine } from "./duckdb-engine.js";
import { type AskedSnapshot, snapshotQuestions } from "./snapshot-questions.js";

/**
 * The past of each semantic type of a snapshot. The keys of its log are looked for once for each type that is asked
 * about, and the kinds of its values once more for the first `asOf()`.
 */
export class TypePasts {
  readonly #asked: AskedSnapshot;
  readonly #database: LazyDatabase;
  readonly #opened = new Map<string, Promise<TypePast>>();

  constructor(asked: AskedSnapshot, database: LazyDatabase) {
    this.#asked = asked;
    this.#database = database;
  }

  /** @throws SnapshotError for a snapshot of an older format */
  async open(type: string): Promise<TypePast> {
    const opened = this.#opened.get(type) ?? this.#find(type);
    this.#opened.set(type, opened);
    try {
      return await opened;
    } catch (error) {
      this.#opened.delete(type);
      throw error;
    }
  }

  async #find(type: string): Promise<TypePast> {
    const engine = DuckDBEngine.over(this.#database);
    // A time that does not exist is no reason to refuse queries: its change counts as a history without strict counts it.
    const questions = await snapshotQuestions(this.#asked, { semantic_type: type }, { engine, strict: false });
    const columns = questions.scope.columns.map((_, column) => column);
    const now = () => {
      const kinds = questions.presentKinds();
      return { kinds, columns: columns.filter((column) => kinds[column] !== undefined) };
    };
    // DuckDB keeps in memory what it sums up: a union of parts is answered part by part. A text has to be read by people.
    const write = (make: (scope: Scope) => string, dialect: Dialect | undefined, cellsPerFeature: number) => {
      if (dialect) return make({ ...questions.scope, dialect });
      const parts = questions.scopeParts(cellsPerFeature).map(make);
      return parts.length === 1 ? parts.join("") : parts.map((part) => `(${part})`).join("\nUNION ALL ");
    };
    const how = { columns, backfill: false, keepsAbsent: false };
    return {
      renamed: layerNames(questions.scope, columns).renamed,
      presentRenamed: () => layerNames(questions.scope, now().columns).renamed,
      present: (dialect) => {
        const { columns: own, kinds } = now();
        return write((scope) => presentTable(scope, own, kinds), dialect, 0);
      },
      asOf: async (us, dialect) => {
        const kinds = await questions.kinds(columns);
        return write((scope) => asOfTable(scope, kinds, { ...how, us }), dialect, columns.length + 1);
      },
      states: (us, dialect) =>
        write((scope) => statesTable(scope, { us, keepsAbsent: false }), dialect, 3 * columns.length),
      history: (dialect) => write(allIntervalsTable, dialect, 0),
      beyondReading: (time, timeZone) => beyondReading({ readAtUs: questions.readAt.getTime() * 1000, timeZone }, time),
    };
  }
}
