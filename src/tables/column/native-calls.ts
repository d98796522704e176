import { addFunction, type op } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { registry } from "./arquero-functions.js";

/** A row with its columns. */
export type Row = Readonly<Record<string, unknown>>;
export type Call = (...values: readonly unknown[]) => unknown;
/** A function that compiled expressions call, with a row of one table or of both. */
export type Native = (row: Row, other: Row) => unknown;

/** Name by which compiled expressions call a `Native`. Not visible to users. */
export const CALL = "siteframe_call";
addFunction(CALL, (call: Native, row: Row, other: Row) => call(row, other), { override: true });
delete registry[CALL];

/** A function that a verb calls for each row. */
export interface RowCall {
  readonly verb: string;
  readonly given: Call;
  /** Functions and constants used by names that may belong to Arquero or to the user. */
  readonly unsure: ReadonlySet<string>;
  /** Names that Arquero knows without a declaration, but JavaScript does not. */
  readonly undeclared: ReadonlySet<string>;
}

/** Thrown if a function uses Arquero's functions by names that could also be the user's. */
export class IsArqueros extends Error {
  readonly given: Call;

  constructor(given: Call) {
    super("A function of rows uses Arquero's functions without their object.");
    this.given = given;
  }
}

type Aggregate = ReturnType<typeof op.count>;
const Aggregate = (registry["count"] as () => Aggregate)().constructor as new () => Aggregate;

let running: RowCall | undefined;

/** Records for each row which function is called, also after a failure, for `whileRowsAreRead()`. */
export function noted(call: Native, about: RowCall): Native {
  return (row, other) => {
    const outer = running;
    running = about;
    const result = call(row, other);
    running = outer;
    return result instanceof Aggregate ? refuse(about, result) : result;
  };
}

/** Runs a verb that calls functions for rows. */
export function whileRowsAreRead(call: () => unknown): unknown {
  const outer = running;
  try {
    return call();
  } catch (error) {
    throw running && running !== outer && isUndeclared(running, error) ? new IsArqueros(running.given) : error;
  } finally {
    running = outer;
  }
}

function isUndeclared({ undeclared }: RowCall, error: unknown): boolean {
  const name = error instanceof Error && error.name === "ReferenceError" && /^(\S+) is not /.exec(error.message)?.[1];
  return typeof name === "string" && undeclared.has(name);
}

function refuse({ verb, given, unsure }: RowCall, { name }: Aggregate): never {
  if (unsure.has(name)) throw new IsArqueros(given);
  throw new ArgumentError(`${verb}(): op.${name}() is called in another function, which Arquero cannot compile.`, {
    hint: `Derive it first: .derive({ ${name}: (d) => op.${name}(…) }), then use d.${name}.`,
    facts: { verb, aggregate: name },
  });
}

/**
 * Makes aggregates fail as values of a row. Outside compiled expressions they are only descriptions for arguments of
 * verbs.
 */
export function refuseAggregatesAsValues(): void {
  Object.defineProperty(Aggregate.prototype, Symbol.toPrimitive, {
    value(this: Aggregate, kind: string) {
      return running && kind !== "string" ? refuse(running, this) : this.toString();
    },
    configurable: true,
  });
}
