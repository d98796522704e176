import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { beyondReading } from "../../../cell/beyond-reading.js";
import { UNCHANGED, UNKNOWN } from "../../../cell/cell-state.js";
import { type Presence, rowsAt } from "../../../cell/present-rows.js";
import { type StateCells, type StatesOptions, statesTable } from "../../../tables/states.js";
import { resolveTimePoint, type TimePoint } from "../../../time/valid-time.js";
import { GrowingUuids, JsonValues, shownUser } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { presenceOf } from "../../log-survey.js";
import { type StatesQuery, stateCells, statesTable as statesStatement } from "../../sql/tables/states.js";

/** How each value at a time is known. */
export function states(data: QuestionData, point: TimePoint, options: StatesOptions): Question<ColumnTable> {
  const query = { us: resolveTimePoint(point, data.timeZone), keepsAbsent: options.absent === "keep" };
  return {
    table: (signal) => table(data, query, signal),
    statement: (scope) => statesStatement(scope, query),
    // Each change has an id and more.
    cellsPerFeature: 3 * data.columns.length,
    namesPersons: true,
    findings: () => beyondReading(data, point),
  };
}

async function table(data: QuestionData, query: StatesQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const present = await presenceOf(data, signal);
  const picks = new Picks(data);
  if (data.columns.length > 0) {
    const cells = 3 * data.columns.length;
    for await (const { rowCount, columns } of askInParts(data, cells, (scope) => stateCells(scope, query), signal)) {
      for (let index = 0; index < rowCount; index += 1) picks.take(columns.map((column) => column[index]));
    }
  }
  const rows = rowsAt(present, query.us, query.keepsAbsent ? "keep" : "drop");
  const find = picks.done();
  return statesTable(data, rows, (column) => cellsOf(data, present, query, rows, column, find));
}

/** The changes that decide cells. */
interface FoundPicks {
  /** Place of the change that decides a cell, or why there is none. */
  decision(row: number, column: number): number;
  value(pick: number): unknown;
  changeId(pick: number): string;
  us(pick: number): number;
  user(pick: number): number | null;
  isSystem(pick: number): boolean;
}

class Picks {
  readonly #data: QuestionData;
  readonly #decisions: readonly Int32Array[];
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);
  readonly #ids = new GrowingUuids();
  readonly #timesUs = new GrowingArray(Float64Array);
  /** NaN for nobody. */
  readonly #users = new GrowingArray(Float64Array);
  readonly #system = new GrowingArray(Int32Array);

  constructor(data: QuestionData) {
    this.#data = data;
    this.#decisions = data.columns.map(() => new Int32Array(data.features.count).fill(UNCHANGED));
  }

  take([feature, column, value, id, us, user, system]: readonly unknown[]): void {
    const row = this.#data.rowOf.get(Number(feature));
    const decisions = this.#decisions[Number(column)];
    if (row === undefined || !decisions) return;
    decisions[row] = value === null ? UNKNOWN : this.#codes.length;
    if (value === null) return;
    this.#codes.push(this.#values.code(value));
    this.#ids.push(id);
    this.#timesUs.push(Number(us));
    this.#users.push(user === null ? Number.NaN : Number(user));
    this.#system.push(Number(system));
  }

  done(): FoundPicks {
    const [codes, ids, timesUs] = [this.#codes.filled(), this.#ids.filled(), this.#timesUs.filled()];
    const [users, system] = [this.#users.filled(), this.#system.filled()];
    return {
      decision: (row, column) => this.#decisions[column]?.[row] ?? UNCHANGED,
      value: (pick) => this.#values.values[codes[pick] as number],
      changeId: (pick) => ids.at(pick),
      us: (pick) => timesUs[pick] as number,
      user: (pick) => shownUser(this.#data, users[pick] ?? Number.NaN),
      isSystem: (pick) => system[pick] === 1,
    };
  }
}

function cellsOf(
  data: QuestionData,
  { presentFromUs }: Presence,
  { us }: StatesQuery,
  rows: Int32Array,
  column: number,
  picks: FoundPicks,
): StateCells {
  const current = data.columns[column]?.values;
  const isAbsent = (entry: number) => (presentFromUs[rows[entry] as number] as number) > us;
  const pickOf = (entry: number) => picks.decision(rows[entry] as number, column);
  const ofPick =
    <T>(get: (pick: number) => T) =>
    (entry: number) =>
      pickOf(entry) < 0 ? null : get(pickOf(entry));
  const valueAt = ofPick(picks.value);
  return {
    value: (entry) =>
      pickOf(entry) === UNCHANGED && !isAbsent(entry) ? (current?.at(rows[entry] as number) ?? null) : valueAt(entry),
    state: (entry) => {
      if (isAbsent(entry)) return "absent";
      if (pickOf(entry) === UNKNOWN) return "unknown";
      if (pickOf(entry) === UNCHANGED) return "unchanged";
      return valueAt(entry) === null ? "cleared" : "logged";
    },
    changeId: ofPick(picks.changeId),
    us: ofPick(picks.us),
    user: ofPick(picks.user),
    isSystem: ofPick(picks.isSystem),
  };
}
