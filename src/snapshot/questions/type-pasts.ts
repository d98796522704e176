import type { Finding } from "../../core/finding.js";
import { formatInstant } from "../../core/instant.js";
import { beyondReading } from "../../history/cell/beyond-reading.js";
import { goneFindings } from "../../history/history-findings.js";
import { asOfStatement } from "../../history/questions/as-of.js";
import { type QuestionData, scopeParts } from "../../history/questions/ask.js";
import { allIntervalsStatement } from "../../history/questions/intervals.js";
import { presentTable } from "../../history/questions/present-table.js";
import type { Questions } from "../../history/questions/questions.js";
import type { ValueKind } from "../../history/questions/sql/cell-values.js";
import { layerNames } from "../../history/questions/sql/cte/layer-columns.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { timelessIds } from "../../history/questions/sql/log-statements.js";
import { allColumns, type Scope } from "../../history/questions/sql/scope.js";
import { statesStatement } from "../../history/questions/states.js";
import {
  declaredKinds,
  type MistypedColumns,
  mistypedColumns,
  presentValueKinds,
  valueKinds,
} from "../../history/questions/value-kinds.js";
import { EXAMPLES, mismatchFinding } from "../../tables/types/type-mismatches.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import { once } from "../sql/once.js";
import type { KnownPart, TypePast } from "../sql/type-past.js";
import { DuckDBEngine } from "./duckdb-engine.js";
import { type AskedSnapshot, snapshotQuestions } from "./snapshot-questions.js";

/** Columns in which values can be lost, and the kinds of all. */
interface Doubtful {
  readonly mistyped: MistypedColumns;
  readonly kinds: readonly (ValueKind | undefined)[];
  /** Answers a statement. */
  readonly rows: (statement: string) => Promise<readonly (readonly unknown[])[]>;
}

/**
 * The past of each semantic type of a snapshot. The keys of its log are looked for once for each type that is asked
 * about, and the kinds of its values once more for the first `asOf()`.
 */
export class TypePasts {
  readonly #asked: AskedSnapshot;
  readonly #database: LazyDatabase;
  readonly #opened = new Map<string, Promise<Questions>>();
  readonly #mistyped = new Map<string, Promise<MistypedColumns>>();
  readonly #mismatches = new Map<string, Promise<readonly Finding[]>>();

  constructor(asked: AskedSnapshot, database: LazyDatabase) {
    this.#asked = asked;
    this.#database = database;
  }

  /**
   * @param asLogged whether columns with values of other types than their definitions' have what was logged behind them
   */
  async open(type: string, asLogged: boolean): Promise<TypePast> {
    const questions = await once(this.#opened, type, () => this.#find(type));
    const mistyped = () =>
      once(this.#mistyped, type, async () => mistypedColumns(questions.data, await kindsOf(questions.data)));
    const shown = asLogged ? await mistyped() : undefined;
    const knownBy = (known: KnownPart): TypePast =>
      typePast(questions, shown, known, {
        knownBy,
        mismatches: (us) =>
          once(this.#mismatches, JSON.stringify([type, us, known]), async () =>
            this.#findMismatches(questions, { us, known }, await mistyped()),
          ),
      });
    return knownBy(questions.data.scope);
  }

  async #findMismatches(
    { data }: Questions,
    { us, known }: { readonly us: number; readonly known: KnownPart },
    mistyped: MistypedColumns,
  ): Promise<readonly Finding[]> {
    const kinds = await kindsOf(data);
    const database = await this.#database.get();
    const scopes = scopeParts(data, mistyped.ever.size + 1).map((scope) => ({ ...scope, ...known }));
    return pastMismatches(scopes, us, { mistyped, kinds, rows: (statement) => database.rows(statement) });
  }

  #find(type: string): Promise<Questions> {
    const engine = DuckDBEngine.over(this.#database);
    // A time that does not exist is no reason to refuse queries: its change counts as a history without strict counts it.
    return snapshotQuestions(this.#asked, { semantic_type: type }, { engine, strict: false });
  }
}

/**
 * Values that are null in the features as of a time, since they are not of their definitions' types.
 *
 * @param us the last microsecond that the time includes
 */
async function pastMismatches(
  scopes: readonly Scope[],
  us: number,
  { mistyped, kinds, rows }: Doubtful,
): Promise<readonly Finding[]> {
  const places = [...mistyped.ever].sort((a, b) => a - b);
  const [scope] = scopes;
  if (places.length === 0 || !scope) return [];
  const query = { columns: places, asLogged: mistyped.ever, us, backfill: false, keepsAbsent: false };
  const names = layerNames(scope, query);
  const counts = places.map((place, index) => {
    const logged = names.asLogged.get(place) ?? "NULL";
    const isLost = `${names.properties[index]} IS NULL AND ${logged} IS NOT NULL`;
    const examples = `list_slice(list_sort(list(DISTINCT ${logged}) FILTER (WHERE ${isLost})), 1, ${EXAMPLES})`;
    return `count(*) FILTER (WHERE ${isLost})::DOUBLE, to_json(${examples})::VARCHAR`;
  });
  const parts = scopes.map((part) => `(${asOfStatement(part, kinds, query)})`).join("\nUNION ALL ");
  const [row = []] = await rows(`SELECT ${counts.join()} FROM (${parts})`);
  return places.flatMap((place, index) => {
    const count = Number(row[2 * index]);
    if (count === 0) return [];
    const texts = JSON.parse(String(row[2 * index + 1] ?? "[]")) as string[];
    const examples = texts.map((text) => JSON.parse(text) as unknown);
    const { key, type } = mistyped.types.get(place) ?? {};
    return [mismatchFinding(scope.columns[place]?.name ?? "", key, type, { count, examples })];
  });
}

function typePast(
  questions: Questions,
  mistyped: MistypedColumns | undefined,
  { knownUpTo, lastKnownUs }: KnownPart,
  { knownBy, mismatches }: Pick<TypePast, "knownBy" | "mismatches">,
): TypePast {
  const { data } = questions;
  const columns = allColumns(data.scope);
  const now = () => {
    const kinds = declaredKinds(data, presentValueKinds(data));
    const own = columns.filter((column) => kinds[column] !== undefined);
    return { kinds, selection: { columns: own, asLogged: mistyped?.present } };
  };
  const known = { knownUpTo, lastKnownUs };
  const inWords = (dialect = data.scope.dialect): Scope => ({ ...data.scope, ...known, dialect });
  // DuckDB keeps in memory what it sums up: a union of parts is answered part by part. A text has to be read by people.
  const write = (make: (scope: Scope) => string, dialect: Dialect | undefined, cellsPerFeature: number) => {
    if (dialect) return make(inWords(dialect));
    const parts = scopeParts(data, cellsPerFeature).map((scope) => make({ ...scope, ...known }));
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
      const known = await questions.knownAt(typeof point === "number" ? formatInstant(point) : point);
      return knownBy(known.data.scope);
    },
    history: (dialect) => write(allIntervalsStatement, dialect, 0),
    goneFindings: goneFindings(data.features),
    beyondReading: (time, timeZone) => beyondReading({ readAtUs: questions.readAt.getTime() * 1000, timeZone }, time),
  };
}

/** What the columns are by their definitions, else by their values. */
async function kindsOf(data: QuestionData): Promise<readonly (ValueKind | undefined)[]> {
  return declaredKinds(data, await valueKinds(data, allColumns(data.scope), undefined));
}
