const longestMs = 1000;

/**
 * Ends the thread that hears SIGINT, whose end leaves the process without a handler, and puts this thread's back.
 *
 * @param words what `SignalSentinel` shares with that thread: whether it is to end, and whether it has
 */
export function takeSignals(words: SharedArrayBuffer): void {
  const view = new Int32Array(words);
  Atomics.store(view, 0, 1);
  Atomics.notify(view, 0);
  Atomics.wait(view, 1, 0, longestMs);
  // Node sets the system's handler with the first listener.
  const listeners = process.rawListeners("SIGINT");
  process.removeAllListeners("SIGINT");
  for (const listener of listeners) process.on("SIGINT", listener as NodeJS.SignalsListener);
}
