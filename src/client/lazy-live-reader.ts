import { resolveConnection } from "./http/connection.js";
import type { LiveOptions, LiveReader } from "./live-reader.js";
import { resolveReadOptions } from "./read-options.js";

/**
 * A live reader that is loaded when something is read: it is most of what there is to load, and a program that reads
 * files only needs none of it.
 *
 * @throws ArgumentError if the address, the key or an option cannot be used
 */
export function lazyLiveReader(options: LiveOptions): LiveReader {
  const { baseUrl } = resolveConnection(options);
  const { baseUrl: _, apiKey: __, ...defaults } = options;
  const { strict, progress, redact } = resolveReadOptions(defaults);
  let loaded: Promise<LiveReader> | undefined;
  const load = () => {
    loaded ??= import("./live-reader.js").then(({ liveReader }) => liveReader(options));
    return loaded;
  };
  return {
    origin: { kind: "live", name: baseUrl },
    strict,
    progress,
    redact,
    all: async (...asked) => (await load()).all(...asked),
    collect: async (...asked) => (await load()).collect(...asked),
    gather: async (...asked) => (await load()).gather(...asked),
    page: async (...asked) => (await load()).page(...asked),
    records: (...asked) => laterRows(async () => (await load()).records(...asked)),
    slices: (...asked) => laterRows(async () => (await load()).slices(...asked)),
    pages: (...asked) => laterRows(async () => (await load()).pages(...asked)),
    close: async () => (await loaded)?.close(),
  };
}

/** By hand: a generator around another takes twice as long for each row. */
function laterRows<T>(open: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T> {
      let rows: AsyncIterator<T> | undefined;
      let opening: Promise<AsyncIterator<T>> | undefined;
      const opened = () => {
        opening ??= open().then((iterable) => {
          rows = iterable[Symbol.asyncIterator]();
          return rows;
        });
        return opening;
      };
      return {
        next: () => (rows ? rows.next() : opened().then((ready) => ready.next())),
        return: async (value?: unknown) => (await (await opening)?.return?.(value)) ?? { done: true, value },
      };
    },
  };
}
