import { FileError } from "../../core/errors.js";

/** The error for a basemap file that cannot be opened. `named` begins the message. */
export function unreadableBasemap(named: string, name: string, cause: unknown): FileError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = code === "ENOENT" ? "File not found" : cause instanceof Error ? cause.message : String(cause);
  return new FileError(`${named} cannot be read.`, {
    hint: `${reason}.`,
    cause,
    facts: { path: name, ...(code === "" ? {} : { reason: code }) },
  });
}
