import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { changesTable } from "../../../tables/changes.js";
import { changesPerFeature, GrowingUuids, JsonValues, shownUser } from "../../answer-rows.js";
import { askAll, type Question, type QuestionData } from "../../ask.js";
import { logPart, logRows, logTable } from "../../sql/tables/log-rows.js";

/** The log of the columns, in valid order. */
export function changes(data: QuestionData): Question<ColumnTable> {
  return {
    table: (signal) => table(data, signal),
    statement: logTable,
    sortedParts: { cellsPerFeature: changesPerFeature(data), statement: logPart },
    namesPersons: true,
  };
}

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const log = new ListedLog(data);
  if (data.columns.length > 0) {
    for await (const { rowCount, columns } of askAll(data, logRows, signal)) {
      for (let index = 0; index < rowCount; index += 1) log.take(columns.map((column) => column[index]));
    }
  }
  return log.table();
}

const ints = () => new GrowingArray(Int32Array);
const floats = () => new GrowingArray(Float64Array);

class ListedLog {
  readonly #data: QuestionData;
  readonly #ids = new GrowingUuids();
  readonly #seq = ints();
  readonly #rows = ints();
  readonly #cols = ints();
  readonly #keys = new Map<string, number>();
  readonly #keyCodes = ints();
  readonly #values = new JsonValues();
  readonly #codes = ints();
  readonly #previous = ints();
  readonly #system = ints();
  /** NaN for nobody. */
  readonly #users = floats();
  /** By place: few changes have one. */
  readonly #causes = new Map<number, string>();
  readonly #timesUs = floats();

  constructor(data: QuestionData) {
    this.#data = data;
  }

  take([id, seq, feature, column, key, value, previous, system, user, cause, us]: readonly unknown[]): void {
    if (typeof cause === "string") this.#causes.set(this.#seq.length, cause);
    this.#ids.push(id);
    this.#seq.push(Number(seq));
    this.#rows.push(this.#data.rowOf.get(Number(feature)) ?? 0);
    this.#cols.push(Number(column));
    this.#keyCodes.push(this.#keyCode(String(key)));
    this.#codes.push(this.#values.code(value));
    this.#previous.push(previous === null ? 0 : this.#values.code(previous));
    this.#system.push(Number(system));
    this.#users.push(user === null ? Number.NaN : Number(user));
    this.#timesUs.push(Number(us));
  }

  table(): ColumnTable {
    const [ids, rows, cols, keyCodes] = [
      this.#ids.filled(),
      this.#rows.filled(),
      this.#cols.filled(),
      this.#keyCodes.filled(),
    ];
    const [codes, previous, system] = [this.#codes.filled(), this.#previous.filled(), this.#system.filled()];
    const [users, timesUs, keys] = [this.#users.filled(), this.#timesUs.filled(), [...this.#keys.keys()]];
    const { values } = this.#values;
    return changesTable(this.#data, {
      seq: this.#seq.filled(),
      changeId: (entry) => ids.at(entry),
      row: (entry) => rows[entry] as number,
      column: (entry) => cols[entry] as number,
      key: (entry) => keys[keyCodes[entry] as number] as string,
      value: (entry) => values[codes[entry] as number],
      previous: (entry) => values[previous[entry] as number],
      isSystem: (entry) => system[entry] === 1,
      user: (entry) => shownUser(this.#data, users[entry] ?? Number.NaN),
      cause: (entry) => this.#causes.get(entry) ?? null,
      us: (entry) => timesUs[entry] as number,
    });
  }

  #keyCode(key: string): number {
    const code = this.#keys.get(key) ?? this.#keys.size;
    this.#keys.set(key, code);
    return code;
  }
}
