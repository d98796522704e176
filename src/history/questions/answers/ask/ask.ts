import type { EngineRows } from "../../engine/engine.js";
import type { Scope } from "../../sql/scope.js";
import { isShort } from "./is-short.js";
import type { QuestionData } from "./question-data.js";

/** An answer that an engine is already at work on. */
class AskedPart {
  /** Its first rows; undefined where there are none. */
  readonly first: Promise<EngineRows | undefined>;
  readonly #answer: AsyncGenerator<EngineRows, void, undefined>;

  constructor(answer: AsyncGenerator<EngineRows, void, undefined>) {
    this.#answer = answer;
    this.first = this.more();
    // Whoever reads is told of an error; nobody may.
    this.first.catch(() => undefined);
  }

  /** The rows behind those that were read. */
  async more(): Promise<EngineRows | undefined> {
    return (await this.#answer.next()).value ?? undefined;
  }

  /** Ends it, read or not. */
  async close(): Promise<void> {
    await this.#answer.return();
  }
}

/** Writes the statement of a question about the features of a scope. */
export type WriteStatement = (scope: Scope) => string;

/** Asks about all features at once. */
export async function* askAll(
  { engine, scope }: Pick<QuestionData, "engine" | "scope">,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  signal?.throwIfAborted();
  yield* engine.query(write(scope), { signal });
  signal?.throwIfAborted();
}

/**
 * Asks feature by feature, as many at once as the engine has memory for, in order of their ids. The engine works at the
 * next features while an answer is read.
 *
 * @param cellsPerFeature how many rows the engine has to keep for a feature, about
 */
export async function* askInParts(
  data: QuestionData,
  cellsPerFeature: number,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineRows, void, undefined> {
  const open = featureParts(data, cellsPerFeature);
  const ask = (part: Part | undefined) =>
    part && { part, rows: new AskedPart(askAll({ ...data, scope: partOf(data, part) }, write, signal)) };
  let asked = ask(open.shift());
  let next: typeof asked;
  try {
    while (asked) {
      const { part, rows } = asked;
      let isAnswered = false;
      try {
        for (let some = await rows.first; some; some = await rows.more()) {
          isAnswered = true;
          next ??= ask(open.shift());
          yield some;
        }
      } catch (error) {
        if (isAnswered || !isShort(error) || part.end - part.start < 2) throw error;
        open.unshift(...halves(part));
      }
      asked = next ?? ask(open.shift());
      next = undefined;
    }
  } finally {
    await Promise.all([asked?.rows.close(), next?.rows.close()]);
  }
}

/** Features by their rows. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The features of a scope in parts, as many at once as the engine has memory for. */
export function scopeParts(data: QuestionData, cellsPerFeature: number): readonly Scope[] {
  const parts = featureParts(data, cellsPerFeature);
  return parts.length <= 1 ? [data.scope] : parts.map((part) => partOf(data, part));
}

function featureParts({ engine, features }: QuestionData, cellsPerFeature: number): Part[] {
  const { cellsAtOnce = Number.POSITIVE_INFINITY } = engine;
  const size = Math.max(Math.floor(cellsAtOnce / Math.max(cellsPerFeature, 1)), 1);
  const count = size < features.count ? Math.ceil(features.count / size) : Math.min(features.count, 1);
  return Array.from({ length: count }, (_, part) => ({
    start: Math.floor((features.count * part) / count),
    end: Math.floor((features.count * (part + 1)) / count),
  }));
}

function partOf({ scope, features }: QuestionData, { start, end }: Part): Scope {
  const id = (row: number) => Number(features.base("id").at(row));
  return { ...scope, ids: [id(start), id(end - 1)] };
}

function halves({ start, end }: Part): readonly Part[] {
  const middle = (start + end) >>> 1;
  return [
    { start, end: middle },
    { start: middle, end },
  ];
}
