/** How a request is answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /** Where the connection is destroyed instead of finishing the answer: a fault, on request. */
  readonly cut?: "before-headers" | "after-headers" | "half-way";
  /** Gives back the memory of the body. Called once, after the last look at it, or not at all. */
  readonly release?: (() => void) | undefined;
}

/** Length of a body in bytes. */
export function bodyLength(answer: Answer): number {
  return answer.body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}
