import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";

/** What Node tells of every thread at its start, while the code that starts it runs. */
const channel = "worker_threads";

/** Calls back with each thread that is started from this one. Returns the way back. */
export function watchThreads(onStart: (thread: Worker) => void): () => void {
  const take = (message: unknown) => {
    const thread: unknown =
      typeof message === "object" && message !== null ? Reflect.get(message, "worker") : undefined;
    if (thread instanceof Worker) onStart(thread);
  };
  subscribe(channel, take);
  return () => {
    unsubscribe(channel, take);
  };
}
