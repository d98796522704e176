import type { Diagnostic } from "../../core/diagnostic.js";
import { formatInstant } from "../../core/format/format-date.js";
import { dateAfterRead } from "../../history/cell/censoring-time.js";
import { goneDiagnostics } from "../../history/history-diagnostics.js";
import type { LazyHistory } from "../../history/lazy/lazy-history.js";
import { asOfStatement } from "../../history/questions/as-of.js";
import { type QuestionData, scopeParts } from "../../history/questions/engine/query-in-batches.js";
import { allIntervalsStatement } from "../../history/questions/intervals.js";
import {
  declaredKinds,
  type MistypedColumns,
  mistypedColumns,
  presentValueKinds,
  valueKinds,
} from "../../history/questions/plan/value-kinds.js";
import type { ValueKind } from "../../history/questions/sql/cell-values.js";
import { layerNames, presentTable } from "../../history/questions/sql/cte/layer-columns.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { timelessIds } from "../../history/questions/sql/log-statements.js";
import { allColumns, type Scope } from "../../history/questions/sql/statement-scope.js";
import { statesStatement } from "../../history/questions/states.js";
import { EXAMPLES, mismatchDiagnostic } from "../../tables/types/type-mismatches.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import { once } from "../sql/once.js";
import type { KnownPart, TypePast } from "../sql/type-past.js";
import { DuckDBEngine } from "./duckdb-engine.js";
import { type LazySnapshot, snapshotLazyHistory } from "./snapshot-lazy-history.js";

/** Columns in which values can be lost, and the kinds of all columns. */
interface Doubtful {
  readonly mistyped: MistypedColumns;
  readonly kinds: readonly (ValueKind | undefined)[];
  /** Runs a statement and returns its rows. */
  readonly rows: (statement: string) => Promise<readonly (readonly unknown[])[]>;
}

/**
 * The past of each semantic type of a snapshot. The keys of its log are looked up once per type, and the kinds of its
 * values once more for the first `asOf()`.
 */
export class TypePasts {
  readonly #snapshot: LazySnapshot;
  readonly #database: LazyDatabase;
  readonly #opened = new Map<string, Promise<LazyHistory>>();
  readonly #mistyped = new Map<string, Promise<MistypedColumns>>();
  readonly #mismatches = new Map<string, Promise<readonly Diagnostic[]>>();

  constructor(snapshot: LazySnapshot, database: LazyDatabase) {
    this.#snapshot = snapshot;
    this.#database = database;
  }

  /**
   * @param asLogged whether columns with values that do not match their declared type are followed by the logged values
   */
  async open(type: string, asLogged: boolean): Promise<TypePast> {
    const questions = await once(this.#opened, type, () => this.#find(type));
    const mistyped = () =>
      once(this.#mistyped, type, async () => mistypedColumns(questions.data, await kindsOf(questions.data)));
    const mistypedKeys = asLogged ? await mistyped() : undefined;
    const knownBy = (part: KnownPart): TypePast =>
      typePast(questions, mistypedKeys, part, {
        knownBy,
        mismatches: (us) =>
          once(this.#mismatches, JSON.stringify([type, us, part]), async () =>
            this.#findMismatches(questions, { us, part }, await mistyped()),
          ),
      });
    return knownBy(questions.data.scope);
  }

  async #findMismatches(
    { data }: LazyHistory,
    { us, part }: { readonly us: number; readonly part: KnownPart },
    mistyped: MistypedColumns,
  ): Promise<readonly Diagnostic[]> {
    const kinds = await kindsOf(data);
    const database = await this.#database.get();
    const scopes = scopeParts(data, mistyped.ever.size + 1).map((scope) => ({ ...scope, ...part }));
    return pastMismatches(scopes, us, { mistyped, kinds, rows: (statement) => database.rows(statement) });
  }

  #find(type: string): Promise<LazyHistory> {
    const engine = DuckDBEngine.over(this.#database);
    // Nonexistent times do not stop queries: changes with such times count as in a lenient history.
    return snapshotLazyHistory(this.#snapshot, { semantic_type: type }, { engine, strict: false });
  }
}

/**
 * Diagnostics for values that are null as of a time, since they do not match their declared types.
 *
 * @param us the last microsecond that the time includes
 */
async function pastMismatches(
  scopes: readonly Scope[],
  us: number,
  { mistyped, kinds, rows }: Doubtful,
): Promise<readonly Diagnostic[]> {
  const keys = [...mistyped.ever].sort((a, b) => a - b);
  const [scope] = scopes;
  if (keys.length === 0 || !scope) return [];
  const query = { columns: keys, asLogged: mistyped.ever, us, backfill: false, keepsAbsent: false };
  const names = layerNames(scope, query);
  const counts = keys.map((key, index) => {
    const logged = names.asLogged.get(key) ?? "NULL";
    const isLost = `${names.properties[index]} IS NULL AND ${logged} IS NOT NULL`;
    const examples = `list_slice(list_sort(list(DISTINCT ${logged}) FILTER (WHERE ${isLost})), 1, ${EXAMPLES})`;
    return `count(*) FILTER (WHERE ${isLost})::DOUBLE, to_json(${examples})::VARCHAR`;
  });
  const parts = scopes.map((part) => `(${asOfStatement(part, kinds, query)})`).join("\nUNION ALL ");
  const [row = []] = await rows(`SELECT ${counts.join()} FROM (${parts})`);
  return keys.flatMap((columnIndex, index) => {
    const count = Number(row[2 * index]);
    if (count === 0) return [];
    const texts = JSON.parse(String(row[2 * index + 1] ?? "[]")) as string[];
    const examples = texts.map((text) => JSON.parse(text) as unknown);
    const { key, type } = mistyped.types.get(columnIndex) ?? {};
    return [mismatchDiagnostic(scope.columns[columnIndex]?.name ?? "", key, type, { count, examples })];
  });
}

function typePast(
  questions: LazyHistory,
  mistyped: MistypedColumns | undefined,
  { knownUpTo, lastKnownUs }: KnownPart,
  { knownBy, mismatches }: Pick<TypePast, "knownBy" | "mismatches">,
): TypePast {
  const { data } = questions;
  const columns = allColumns(data.scope);
  const now = () => {
    const kinds = declaredKinds(data, presentValueKinds(data));
    const ownColumns = columns.filter((column) => kinds[column] !== undefined);
    return { kinds, selection: { columns: ownColumns, asLogged: mistyped?.present } };
  };
  const part = { knownUpTo, lastKnownUs };
  const inWords = (dialect = data.scope.dialect): Scope => ({ ...data.scope, ...part, dialect });
  // DuckDB keeps aggregates in memory, so a union is computed part by part. The SQL must stay readable.
  const write = (make: (scope: Scope) => string, dialect: Dialect | undefined, cellsPerFeature: number) => {
    if (dialect) return make(inWords(dialect));
    const parts = scopeParts(data, cellsPerFeature).map((scope) => make({ ...scope, ...part }));
    return parts.length === 1 ? parts.join("") : parts.map((part) => `(${part})`).join("\nUNION ALL ");
  };
  const how = { columns, asLogged: mistyped?.ever, backfill: false, keepsAbsent: false };
  return {
    renamed: (dialect) => layerNames(inWords(dialect), how).renamed,
    presentRenamed: (dialect) => layerNames(inWords(dialect), now().selection).renamed,
    present: (dialect) => {
      const { selection, kinds } = now();
      return write((scope) => presentTable(scope, selection, kinds), dialect, 0);
    },
    asOf: async (us, dialect) => {
      const kinds = await kindsOf(data);
      return write((scope) => asOfStatement(scope, kinds, { ...how, us }), dialect, columns.length + 1);
    },
    states: (us, dialect) =>
      write((scope) => statesStatement(scope, { us, keepsAbsent: false }), dialect, 3 * columns.length),
    mismatches,
    timelessId: () => timelessIds(data.scope),
    knownBy,
    knownAt: async (point) => {
      const lazy = await questions.knownAt(typeof point === "number" ? formatInstant(point) : point);
      return knownBy(lazy.data.scope);
    },
    history: (dialect) => write(allIntervalsStatement, dialect, 0),
    goneDiagnostics: goneDiagnostics(data.features),
    dateAfterRead: (time, timeZone) => dateAfterRead({ readAtUs: questions.readAt.getTime() * 1000, timeZone }, time),
  };
}

/** The kinds of the columns by their definitions, else by their values. */
async function kindsOf(data: QuestionData): Promise<readonly (ValueKind | undefined)[]> {
  return declaredKinds(data, await valueKinds(data, allColumns(data.scope), undefined));
}
