import { ArgumentError, EngineError } from "../core/errors.js";
import { nearestName } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import { scopeParts } from "./answers/ask.js";
import type { Question } from "./answers/question.js";
import type { QuestionData } from "./answers/question-data.js";
import { valueKinds } from "./answers/value-kinds.js";
import type { DialectName } from "./sql/dialect.js";
import { dialects } from "./sql/dialects.js";

/** How often a result that did not fit into memory is asked for in smaller parts. */
const PARTS = [1, 4, 16];

/** Stores the answer to a question where the engine keeps results. */
export async function storeAnswer<T>(
  data: QuestionData,
  call: string,
  question: Question<T>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  refusePersons(data, call, question);
  const kinds = await data.kinds.get(() => valueKinds(data, signal));
  const { cellsPerFeature } = question;
  for (const [attempt, factor] of PARTS.entries()) {
    const parts = cellsPerFeature === undefined ? [data.scope] : scopeParts(data, cellsPerFeature * factor);
    const statements = await Promise.all(parts.map((scope) => question.statement(scope, kinds, signal)));
    try {
      return await data.engine.store(statements.length === 1 ? statements.join("") : statements, target, { signal });
    } catch (error) {
      const isShort = error instanceof EngineError && error.problem === "memory";
      if (!isShort || cellsPerFeature === undefined || attempt === PARTS.length - 1) throw error;
    }
  }
}

/** The text of a question. */
export async function writeAnswer<T>(
  data: QuestionData,
  call: string,
  question: Question<T>,
  name: DialectName | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  refusePersons(data, call, question);
  const { engine, scope } = data;
  const dialect = name === undefined || name === engine.dialect.name ? engine.dialect : dialectOf(name);
  const kinds = await data.kinds.get(() => valueKinds(data, signal));
  return question.statement({ ...scope, dialect }, kinds, signal);
}

function dialectOf(name: string) {
  const dialect = Object.hasOwn(dialects, name) ? dialects[name as DialectName] : undefined;
  if (dialect) return dialect;
  const names = Object.keys(dialects);
  const meant = nearestName(name, names);
  throw new ArgumentError(`${showValue(name)} is no dialect of SQL that questions are written in.`, {
    hint: meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${showValue(meant)}?`,
  });
}

/** Persons get their pseudonyms in this process. */
function refusePersons<T>({ pseudonym }: QuestionData, call: string, { namesPersons }: Question<T>): void {
  if (!pseudonym || !namesPersons) return;
  throw new ArgumentError(`${call} names persons, and redact: true replaces them in this process alone.`, {
    hint: "Await the answer, or ask without redact.",
  });
}
