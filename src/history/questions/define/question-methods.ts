import { ArgumentError } from "../../../core/errors.js";
import * as registry from "./registry.js";
import type { Specification } from "./specification.js";

/** Every question by its name. */
export const specifications: ReadonlyMap<string, Specification> = new Map(
  // Only the files that declare the methods have the types of their arguments.
  Object.entries(registry) as readonly unknown[] as readonly (readonly [string, Specification])[],
);

/** The questions that engines support. */
export const engineQuestions: ReadonlyMap<string, Specification> = new Map(
  [...specifications].filter(([, { engine }]) => engine !== undefined),
);

/** Names of the arguments of a question, options last. Dates are `dates`, or `from`, `until` and `every`. */
export function givenNames({ takes, options }: Specification): readonly string[] {
  return [...takes.flatMap((name) => (name === "dates" ? ["dates", ...gridSteps] : [name])), ...Object.keys(options)];
}

const gridSteps = ["from", "until", "every"];

/**
 * Arranges named values as the arguments of a question. Undefined values are omitted.
 *
 * @param written returns the spelling of a name for the caller, for messages
 * @throws ArgumentError for a missing argument, and for dates given in two ways
 */
export function argumentsOf(
  question: string,
  { takes, options }: Specification,
  values: Readonly<Record<string, unknown>>,
  written: (name: string) => string,
): readonly never[] {
  const given = takes.map((name) => {
    const value = name === "dates" ? gridOf(question, values, written) : values[name];
    if (value === undefined)
      throw new ArgumentError(`${question} needs ${written(name)}.`, { facts: { option: name } });
    return value;
  });
  const chosen = Object.keys(options).filter((name) => values[name] !== undefined);
  return [...given, Object.fromEntries(chosen.map((name) => [name, values[name]]))] as never[];
}

function gridOf(
  question: string,
  { dates, from, until, every }: Readonly<Record<string, unknown>>,
  written: (name: string) => string,
): unknown {
  const steps = [from, until, every].filter((step) => step !== undefined).length;
  if (dates !== undefined && steps === 0) return dates;
  if (dates === undefined && steps === gridSteps.length) return { from, until, every };
  const [first, last, step] = gridSteps.map(written);
  throw new ArgumentError(`${question} needs ${written("dates")}, or ${first}, ${last} and ${step}.`, {
    facts: { option: dates === undefined ? "dates" : "from" },
  });
}

/** Calls the method of a question, which returns an `LazyTable` for questions and a table for a history. */
export function askByName<Given>(history: object, name: string, given: readonly never[]): Given {
  return Reflect.apply(Reflect.get(history, name) as (...given: readonly never[]) => Given, history, given);
}

/** The error for a question that no engine supports, with the alternative in memory. */
export function askHistory(name: string): ArgumentError {
  return new ArgumentError(`${name}(): lazy histories do not have this method.`, {
    hint: `Use a history in memory: (await snapshot.history(…)).${name}(…).`,
    facts: { question: name },
  });
}

/**
 * Defines a method for each question on a class.
 *
 * @param method returns the method of a question
 */
export function defineQuestions(
  prototype: object,
  method: (name: string, specification: Specification) => (...given: readonly never[]) => unknown,
): void {
  for (const [name, specification] of specifications) {
    const value = Object.defineProperty(method(name, specification), "name", { value: name });
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}
