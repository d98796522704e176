/** Receives what was written, text or UTF-8; false lets it through to the real stream. */
export type StreamReceiver = (name: "stdout" | "stderr", chunk: Uint8Array | string) => boolean;

/** Redirects `process.stdout` and `process.stderr`, on which `console` writes too. Returns the way back. */
export function captureStreams(receive: StreamReceiver): () => void {
  const restoreStdout = capture("stdout", receive);
  const restoreStderr = capture("stderr", receive);
  return () => {
    restoreStdout();
    restoreStderr();
  };
}

type Written = (error?: Error | null) => void;

function capture(name: "stdout" | "stderr", receive: StreamReceiver): () => void {
  const stream = process[name];
  const original = stream.write;
  stream.write = function write(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | Written,
    written?: Written,
  ): boolean {
    const isText = typeof chunk !== "string" || typeof encoding !== "string" || /^utf-?8$/i.test(encoding);
    if (!receive(name, isText ? chunk : Buffer.from(chunk, encoding)))
      return Reflect.apply(original, stream, [chunk, encoding, written]);
    const callback = typeof encoding === "function" ? encoding : written;
    if (callback) process.nextTick(callback);
    return true;
  };
  return () => {
    stream.write = original;
  };
}
