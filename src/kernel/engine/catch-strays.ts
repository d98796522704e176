/** Passes on what no one caught: rejected promises, and errors thrown in callbacks. Returns the way back. */
export function catchStrays(onError: (error: unknown) => void): () => void {
  process.on("unhandledRejection", onError);
  process.on("uncaughtException", onError);
  return () => {
    process.off("unhandledRejection", onError);
    process.off("uncaughtException", onError);
  };
}
