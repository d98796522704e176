/** A closed port: data sent to it is transferred and dropped. */
const nowhere = closedPort();

/** Freeing smaller arrays takes longer than collecting them. */
const LEAST_BYTES = 1 << 16;

/**
 * Frees the memory of a large array immediately; every array over the same memory is empty from then on. Otherwise
 * large arrays stay in memory until the garbage collector runs, which it does not in a loop over other arrays.
 */
export function freeMemory({ buffer }: ArrayBufferView): void {
  // Shared memory cannot be transferred, and transferred memory cannot be transferred again.
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES) nowhere.postMessage(undefined, [buffer]);
}

function closedPort() {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  return port1;
}
