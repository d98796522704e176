import { ArgumentError } from "../../core/errors.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { type AskKinds, isShort, type Question, type QuestionData, scopeParts } from "./ask.js";
import type { Engine } from "./engine/engine.js";
import type { DialectName } from "./sql/dialect/dialect.js";
import { dialects } from "./sql/dialect/dialects.js";
import type { Scope } from "./sql/scope.js";
import { valueKinds } from "./value-kinds.js";

/** In how many times as many parts a result is asked for that did not fit into memory. */
const SMALLER = [4, 16];

/** Stores the answer to a question where the engine keeps results. */
export async function storeAnswer<T>(
  data: QuestionData,
  call: string,
  question: Question<T>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  refusePersons(data, call, question);
  const kinds: AskKinds = (columns) => valueKinds(data, columns, signal);
  const { cellsPerFeature } = data.engine.keepsOrder && question.sortedParts ? question.sortedParts : question;
  const partsAt = (factor: number) =>
    cellsPerFeature === undefined ? [data.scope] : scopeParts(data, cellsPerFeature * factor);
  let parts = partsAt(1);
  for (const factor of SMALLER) {
    try {
      return await storeParts(data.engine, question, { parts, kinds, target, signal });
    } catch (error) {
      const smaller = partsAt(factor);
      if (!isShort(error) || smaller.length <= parts.length) throw error;
      parts = smaller;
    }
  }
  return storeParts(data.engine, question, { parts, kinds, target, signal });
}

interface StoredParts {
  readonly parts: readonly Scope[];
  readonly kinds: AskKinds;
  readonly target: string;
  readonly signal: AbortSignal | undefined;
}

async function storeParts<T>(engine: Engine, question: Question<T>, { parts, kinds, target, signal }: StoredParts) {
  const { sortedParts } = question;
  const [whole] = parts;
  if (question.statements && whole) return engine.store(await question.statements(whole, signal), target, { signal });
  if (parts.length > 1 && engine.keepsOrder && sortedParts) {
    const statements = await inTurn(parts, (scope) => sortedParts.statement(scope, kinds));
    const texts = statements.map(({ sql }) => sql);
    return engine.store(texts, target, { signal, afterwards: statements[0]?.afterwards });
  }
  const statements = await inTurn(parts, (scope) => question.statement(scope, kinds, signal));
  return engine.store(statements.length === 1 ? statements.join("") : statements, target, { signal });
}

/** One after the other: what the first has to find out, the others know. */
async function inTurn<T>(parts: readonly Scope[], write: (scope: Scope) => T | Promise<T>): Promise<readonly T[]> {
  const written: T[] = [];
  for (const part of parts) written.push(await write(part));
  return written;
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
  const kinds: AskKinds = (columns) => valueKinds(data, columns, signal);
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
