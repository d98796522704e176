import type { Dispatcher } from "undici";

/** The connections of one reader: opened when first used, kept alive between requests. */
export interface Transport {
  readonly dispatcher: () => Promise<Dispatcher>;
  readonly close: () => Promise<void>;
}

/** Connections to one origin. undici loads with the first request, so that importing this module is cheap. */
export function poolTransport(origin: string): Transport {
  let pool: Promise<Dispatcher> | undefined;
  return {
    dispatcher() {
      pool ??= import("undici").then(({ Pool }) => new Pool(origin));
      return pool;
    },
    async close() {
      const open = pool;
      pool = undefined;
      await (await open)?.close();
    },
  };
}
