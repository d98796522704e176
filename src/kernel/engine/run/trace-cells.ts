import { format } from "node:util";

/**
 * Has `console.trace` show the frames that are in cells, and nothing of what runs them. Returns the way back.
 *
 * @param framesOf the lines for the frames of a stack; where there are none, Node's own trace is shown
 */
export function traceCells(
  framesOf: (stack: Error) => readonly string[],
  target: Pick<Console, "trace" | "error"> = globalThis.console,
): () => void {
  const original = target.trace;
  target.trace = function trace(...data: unknown[]): void {
    const frames = framesOf(new Error("trace"));
    const heading = data.length === 0 ? "Trace" : `Trace: ${format(...data)}`;
    if (frames.length > 0) target.error([heading, ...frames].join("\n"));
    else Reflect.apply(original, target, data);
  };
  return () => {
    target.trace = original;
  };
}
