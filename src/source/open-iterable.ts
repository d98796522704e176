/**
 * Opens an iterable; what is wrong with its parameters is told when it is iterated, as a promise tells it when it is
 * awaited. Costs nothing by the row.
 *
 * @param open may throw
 */
export function openIterable<T>(open: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return open();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
