import { ArgumentError } from "../../core/errors.js";

/** Questions that a history answers and no engine of SQL does. */
const inMemory = ["at", "layerAt", "survival", "againstPlan", "forecast"] as const;

/** Whether a question is answered in memory alone. */
export function isInMemory(name: string): boolean {
  return inMemory.some((question) => question === name);
}

/** What to do instead of asking an engine for a question that is answered in memory alone. */
export function askHistory(name: string): ArgumentError {
  return new ArgumentError(`${name} is answered in memory, and no engine of SQL is asked for it.`, {
    hint: `const history = await snapshot.history(…), then history.${name}(…).`,
    facts: { question: name },
  });
}

/** Has calls of questions that are answered in memory say so on a class that asks an engine. Its types do not have them. */
export function refuseInMemory(prototype: object): void {
  for (const name of inMemory) {
    const value = () => {
      throw askHistory(name);
    };
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}
