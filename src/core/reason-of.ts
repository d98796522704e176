import { readSafely } from "./read-safely.js";

/** What something that was thrown says, for a message about it: it need be no error, and may refuse to be looked at. */
export function reasonOf(thrown: unknown): string {
  return readSafely(() => String(thrown instanceof Error ? thrown.message : thrown), "an error that cannot be read");
}
