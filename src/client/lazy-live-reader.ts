import { type LiveOptions, liveSettings } from "./http/connection.js";
import type { LiveReader } from "./live-reader.js";

/**
 * Returns a live reader that is loaded with the first read: it is most of the code, and programs that only read files
 * do not need it.
 *
 * @throws ArgumentError if the address, the key or an option is invalid
 */
export function lazyLiveReader(options: LiveOptions): LiveReader {
  const settings = liveSettings(options);
  const { strict, showProgress: progress, redact, onDiagnostic } = settings.resolved;
  let loaded: Promise<LiveReader> | undefined;
  const load = () => {
    loaded ??= import("./live-reader.js").then(({ readerWith }) => readerWith(settings));
    return loaded;
  };
  return {
    origin: settings.origin,
    strict,
    progress,
    redact,
    onDiagnostic,
    all: async (...args) => (await load()).all(...args),
    collect: async (...args) => (await load()).collect(...args),
    gather: async (...args) => (await load()).gather(...args),
    page: async (...args) => (await load()).page(...args),
    records: (...args) => laterRows(async () => (await load()).records(...args)),
    slices: (...args) => laterRows(async () => (await load()).slices(...args)),
    pages: (...args) => laterRows(async () => (await load()).pages(...args)),
    close: async () => (await loaded)?.close(),
  };
}

/** An explicit iterator: a nested generator takes twice as long per row. */
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
