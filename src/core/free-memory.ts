/** A port that is closed: what is sent to it is given away and goes nowhere. */
const nowhere = closedPort();

/** Smaller arrays are no matter: the call takes longer than the garbage collector does. */
const LEAST_BYTES = 1 << 16;

/**
 * Gives the memory behind an array back at once, if it is much; every array over the same memory is empty from then on. Otherwise large
 * arrays stay in memory until the garbage collector comes by, which in a loop over other arrays it does not.
 */
export function freeMemory({ buffer }: ArrayBufferView): void {
  // Shared memory cannot be given away, and what was given away before cannot be again.
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES) nowhere.postMessage(undefined, [buffer]);
}

function closedPort() {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  return port1;
}
