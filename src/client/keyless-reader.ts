/**
 * A reader whose errors hold no key: the one door that every error of it passes, whatever threw it and whatever text of
 * the service it quotes.
 *
 * @param withoutKey cleans the texts of a value
 */
export function keylessReader<R extends object>(reader: R, withoutKey: <T>(value: T) => T): R {
  const fail = (error: unknown): never => {
    throw withoutKey(error);
  };
  const members = Object.entries(reader).map(([name, member]) => [
    name,
    typeof member === "function" ? (...args: unknown[]) => guard(() => member(...args) as unknown, fail) : member,
  ]);
  return Object.fromEntries(members) as R;
}

function guard(call: () => unknown, fail: (error: unknown) => never): unknown {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    fail(error);
  }
  if (result instanceof Promise) return result.catch(fail);
  return isAsyncIterable(result) ? guardRows(result, fail) : result;
}

/** By hand: a generator around another takes twice as long for each row. */
function guardRows(rows: AsyncIterable<unknown>, fail: (error: unknown) => never): AsyncIterableIterator<unknown> {
  const iterator = rows[Symbol.asyncIterator]();
  return {
    next: () => iterator.next().catch(fail),
    return: async (value?: unknown) => iterator.return?.(value).catch(fail) ?? { done: true, value },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
