/** What a debugger cannot do, in words for whoever asked. */
export class DebugError extends Error {
  override readonly name = "DebugError";
}
