/**
 * Passes on what no one caught: rejected promises, with the promise, and errors thrown in callbacks. Returns the way
 * back.
 */
export function catchStrays(onError: (error: unknown, promise?: Promise<unknown>) => void): () => void {
  const onException = (error: unknown) => onError(error);
  process.on("unhandledRejection", onError);
  process.on("uncaughtException", onException);
  return () => {
    process.off("unhandledRejection", onError);
    process.off("uncaughtException", onException);
  };
}
