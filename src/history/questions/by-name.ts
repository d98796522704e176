import { ArgumentError } from "../../core/errors.js";
import * as registry from "./registry.js";
import type { Specification } from "./specification.js";

/** Every question by its name. */
export const specifications: ReadonlyMap<string, Specification> = new Map(
  // Their arguments' types are known to those who declare the methods alone.
  Object.entries(registry) as readonly unknown[] as readonly (readonly [string, Specification])[],
);

/** Those that an engine answers. */
export const engineQuestions: ReadonlyMap<string, Specification> = new Map(
  [...specifications].filter(([, { engine }]) => engine !== undefined),
);

/** What a question can be given by name, its options last. Dates are `dates`, or `from`, `to` and `every`. */
export function givenNames({ takes, options }: Specification): readonly string[] {
  return [...takes.flatMap((name) => (name === "dates" ? ["dates", ...gridSteps] : [name])), ...Object.keys(options)];
}

const gridSteps = ["from", "to", "every"];

/**
 * The arguments of a question from values by name. Those that are undefined are not given.
 *
 * @param written how a name is written where values are given
 * @throws ArgumentError for an argument that is missing, and for dates that are given in two ways
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
  { dates, from, to, every }: Readonly<Record<string, unknown>>,
  written: (name: string) => string,
): unknown {
  const steps = [from, to, every].filter((step) => step !== undefined).length;
  if (dates !== undefined && steps === 0) return dates;
  if (dates === undefined && steps === gridSteps.length) return { from, to, every };
  const [first, last, step] = gridSteps.map(written);
  throw new ArgumentError(`${question} needs ${written("dates")}, or ${first}, ${last} and ${step}.`, {
    facts: { option: dates === undefined ? "dates" : "from" },
  });
}

/** Calls the method of a question, which gives an `Answer` of questions and a table of a history. */
export function askByName<Given>(asked: object, name: string, given: readonly never[]): Given {
  return Reflect.apply(Reflect.get(asked, name) as (...given: readonly never[]) => Given, asked, given);
}

/** What to do instead of asking an engine for a question that is answered in memory alone. */
export function askHistory(name: string): ArgumentError {
  return new ArgumentError(`${name} is answered in memory, and no engine of SQL is asked for it.`, {
    hint: `const history = await snapshot.history(…), then history.${name}(…).`,
    facts: { question: name },
  });
}

/**
 * Gives a class a method for each question.
 *
 * @param answer what the method of that name does with what it is given
 */
export function defineQuestions<Class extends object>(
  prototype: Class,
  answer: (asked: Class, name: string, specification: Specification, given: readonly never[]) => unknown,
): void {
  for (const [name, specification] of specifications) {
    const { [name]: value } = {
      [name](this: Class, ...given: readonly never[]) {
        return answer(this, name, specification, given);
      },
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}
