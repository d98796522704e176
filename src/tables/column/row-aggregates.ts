import { addFunction, op, parse } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { KnownOps, OpCall } from "./row-function.js";

/** A row with its columns, or what stands for one. */
export type Row = Readonly<Record<string, unknown>>;
export type Call = (...values: readonly unknown[]) => unknown;
/** What a compiled expression calls: with a row of one table or of both, and with the aggregates of that row. */
export type Native = (row: Row, other: Row, aggregates: readonly unknown[]) => unknown;

/** Arquero's functions as users have them: `op`. */
export const registry: Record<string, unknown> = op;

/** By this name compiled expressions call a `Native`. It is no function of users. */
export const CALL = "siteframe_call";
addFunction(
  CALL,
  (call: Native, row: Row, other: Row, aggregates: readonly unknown[]) => call(row, other, aggregates),
  {
    override: true,
  },
);
delete registry[CALL];

/** Arquero's own functions that are about more than one row, since it takes long to ask which they are. */
export const ofTableNames: readonly string[] = (
  "row_object count any array_agg array_agg_distinct object_agg map_agg entries_agg valid invalid distinct mode sum " +
  "product mean average variance variancep stdev stdevp min max quantile median covariance covariancep corr bins " +
  "row_number rank avg_rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value " +
  "fill_down fill_up"
).split(" ");

const ofTable = new Map(ofTableNames.map((name) => [name, true]));
const atFirst = new Set(Object.keys(registry));

export const knownOps: KnownOps = {
  has: (name) => Object.hasOwn(registry, name),
  isOfTable(name) {
    let found = ofTable.get(name);
    if (found === undefined && !knownOps.has(name)) return false;
    if (found === undefined) {
      // What describes itself to Arquero calls its `op()`.
      const isPossible = !atFirst.has(name) || /\bop\(/.test(String(registry[name]));
      found = isPossible && (parse({ value: `op.${name}()` }).ops ?? []).length > 0;
      ofTable.set(name, found);
    }
    return found;
  },
};

/** What may be known of the text of a function before it is called. */
export interface Expected {
  /** What it calls by a name that may be Arquero's or the user's own. */
  readonly unsure: ReadonlySet<string>;
  /** Names that Arquero knows without a declaration; JavaScript does not. */
  readonly doubtful: ReadonlySet<string>;
  /** The aggregates that it calls, in their order. */
  readonly aggregates: readonly OpCall[];
}

/** A function that is called for one row after another. */
export class RowCalls {
  readonly verb: string;
  readonly given: Call;
  readonly expected: Expected;
  /** Which aggregate's arguments are to be had, if it is called for these alone. */
  readonly #wanted: number | undefined;
  /** Whether each aggregate is called for every row, so that it is known which of them is called. */
  readonly #areInOrder: boolean;
  readonly #strange = new WeakSet<object>();
  #hasStrange = false;
  #aggregates: readonly unknown[] = [];
  #asked = 0;

  constructor(verb: string, given: Call, expected: Expected, wanted?: number) {
    this.verb = verb;
    this.given = given;
    this.expected = expected;
    this.#areInOrder = expected.aggregates.every((call) => !call.isConditional);
    this.#wanted = wanted;
  }

  /**
   * Says at each row which function is called. If it fails, that remains, for `whileRowsAreTaken()`.
   *
   * @param call calls the function for a row
   */
  native(call: (row: Row, other: Row) => unknown): Native {
    if (Object.keys(registry).length !== answeringOf) letAggregatesAnswer();
    if (this.expected.aggregates.length === 0) {
      return (row, other) => {
        const outer = running;
        running = this;
        const result = call(row, other);
        running = outer;
        return this.#hasStrange ? this.#checked(result) : result;
      };
    }
    return (row, other, aggregates) => {
      const outer = running;
      running = this;
      this.#aggregates = aggregates;
      this.#asked = 0;
      const result = call(row, other);
      running = outer;
      if (this.#wanted !== undefined || (this.#areInOrder && this.#asked < this.expected.aggregates.length))
        this.#refuseUnasked();
      return this.#hasStrange ? this.#checked(result) : result;
    };
  }

  /** The arguments of the wanted aggregate. */
  wanted(call: (row: Row, other: Row) => unknown): (row: Row, other: Row) => readonly unknown[] {
    const native = this.native(call);
    const none = this.expected.aggregates.map(() => nothing);
    return (row, other) => {
      const outer = running;
      try {
        native(row, other, none);
      } catch (error) {
        if (!(error instanceof Wanted)) throw error;
        running = outer;
        return error.values;
      }
      return [];
    };
  }

  #checked(result: unknown): unknown {
    if (typeof result !== "object" || result === null || !this.#strange.has(result)) return result;
    return this.#refuse(String((result as { name?: unknown }).name));
  }

  /** Whether the function failed because its names are Arquero's. */
  isUndeclared(error: unknown): boolean {
    const name = error instanceof Error && error.name === "ReferenceError" && /^(\S+) is not /.exec(error.message)?.[1];
    return typeof name === "string" && this.expected.doubtful.has(name);
  }

  /** What an aggregate gives that is called now, which has described itself to Arquero. */
  answer(name: string, values: readonly unknown[], described: unknown): unknown {
    const calls = this.expected.aggregates;
    const place = this.#areInOrder ? this.#asked : calls.findIndex((call) => call.name === name);
    if (calls[place]?.name !== name) return this.#describe(name, described);
    this.#asked++;
    if (place === this.#wanted) throw new Wanted(values);
    return this.#aggregates[place];
  }

  /** An aggregate that is none of the function's text may be given to a verb of another table. No value can be had of it. */
  #describe(name: string, described: unknown): unknown {
    if (typeof described !== "object" || described === null) return described;
    this.#strange.add(described);
    this.#hasStrange = true;
    return Object.defineProperty(described, Symbol.toPrimitive, {
      value: (kind: string) => (kind === "string" ? String(described.toString()) : this.#refuse(name)),
    });
  }

  #refuse(name: string): never {
    if (this.expected.unsure.has(name)) throw new IsArqueros(this.given);
    throw new ArgumentError(
      `op.${name}() is called where ${this.verb}() cannot compute it for the rows of the table.`,
      {
        hint: `Write op.${name}(…) itself in the function, or derive it as a column first.`,
        facts: { verb: this.verb, aggregate: name },
      },
    );
  }

  /** Of another copy of Arquero no aggregate answers. */
  #refuseUnasked(): never {
    const name = this.expected.aggregates[this.#wanted ?? this.#asked]?.name;
    throw new ArgumentError(`A function of ${this.verb}() calls no op.${name}() of the Arquero that made the table.`, {
      hint: 'Take op from there: import { aq } from "siteframe/arquero".',
      facts: { verb: this.verb, aggregate: name },
    });
  }
}

/** Thrown where a function turns out to use Arquero's functions by a name that could have been the user's own. */
export class IsArqueros extends Error {
  readonly given: Call;

  constructor(given: Call) {
    super("A function of rows uses Arquero's functions without their object.");
    this.given = given;
  }
}

/** Thrown with the arguments of an aggregate, where these alone are wanted. */
class Wanted {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

let running: RowCalls | undefined;
const answering = new Set<string>();
let answeringOf = 0;

/** Lets aggregates answer in functions that are called row by row; elsewhere they describe themselves, as ever. */
function letAggregatesAnswer(): void {
  answeringOf = Object.keys(registry).length;
  for (const name of Object.keys(registry)) {
    const original = registry[name];
    if (answering.has(name) || typeof original !== "function" || !knownOps.isOfTable(name)) continue;
    answering.add(name);
    const answer = (...values: readonly unknown[]) => {
      const described: unknown = Reflect.apply(original, registry, values);
      return running ? running.answer(name, values, described) : described;
    };
    registry[name] = Object.defineProperty(answer, "name", { value: name });
  }
}

/** Calls a verb that calls functions of rows. */
export function whileRowsAreTaken(call: () => unknown): unknown {
  const outer = running;
  try {
    return call();
  } catch (error) {
    throw running && running !== outer && running.isUndeclared(error) ? new IsArqueros(running.given) : error;
  } finally {
    running = outer;
  }
}

// Users may take them out of `op` before the first function is called.
letAggregatesAnswer();

/** What is read of a row where there is none. */
export const nothing: Row = new Proxy((() => nothing) as unknown as Row, {
  get: (_, key) => {
    if (key === Symbol.toPrimitive) return () => Number.NaN;
    return key === Symbol.iterator ? [][Symbol.iterator] : nothing;
  },
  apply: () => nothing,
});
