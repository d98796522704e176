import { freeMemory } from "../../core/free-memory.js";
import type { ChangeColumns, CodedColumn } from "./change-columns.js";

/** What is given away: the most of what changes take, and asked for once. */
type Passing = Pick<ChangeColumns, "ids" | "featureIds" | "timesUs" | "flags" | "causes">;

/**
 * Changes that pass into a log: each of their long columns is given away when it is asked for, so that it is not in memory
 * twice once the log has taken it.
 */
export class PassingChanges implements ChangeColumns {
  readonly rowCount: number;
  readonly keys: CodedColumn;
  readonly values: CodedColumn;
  readonly users: CodedColumn;
  readonly #passing: { -readonly [Name in keyof Passing]?: Passing[Name] };

  constructor({ rowCount, keys, values, users, ids, featureIds, timesUs, flags, causes }: ChangeColumns) {
    this.rowCount = rowCount;
    this.keys = keys;
    this.values = values;
    this.users = users;
    this.#passing = { ids, featureIds, timesUs, flags, causes };
  }

  get ids(): Uint32Array {
    return this.#give("ids");
  }

  get featureIds(): Float64Array {
    return this.#give("featureIds");
  }

  get timesUs(): Float64Array {
    return this.#give("timesUs");
  }

  get flags(): Uint8Array {
    return this.#give("flags");
  }

  get causes(): Uint32Array {
    return this.#give("causes");
  }

  forget(column: ArrayBufferView): void {
    freeMemory(column);
  }

  #give<Name extends keyof Passing>(name: Name): Passing[Name] {
    const column: Passing[Name] | undefined = this.#passing[name];
    if (!column) throw new TypeError(`${name} of changes were given away already`);
    delete this.#passing[name];
    return column;
  }
}
