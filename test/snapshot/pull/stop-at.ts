import type { PullOptions } from "../../../src/index.js";

/** Options that end a pull with the error "lost" at its first request to an endpoint, or at a request by its number. */
export function stopAt(request: string | number): Pick<PullOptions, "signal" | "onRequest"> {
  const stop = new AbortController();
  let sent = 0;
  const onRequest: PullOptions["onRequest"] = ({ url }) => {
    sent += 1;
    if (typeof request === "number" ? sent === request : url.includes(request)) stop.abort(new Error("lost"));
  };
  return { signal: stop.signal, onRequest };
}
