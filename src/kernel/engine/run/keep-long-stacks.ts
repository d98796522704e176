/** Frames of a stack that Node keeps. Its ten would be the library's own, and the cell that called it below them. */
const frames = 100;

/** Has errors keep enough frames to reach the cell that called. Returns the way back. */
export function keepLongStacks(): () => void {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.max(before, frames);
  return () => {
    Error.stackTraceLimit = before;
  };
}
