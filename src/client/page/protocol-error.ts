import { ProtocolError } from "../../core/errors.js";
import { requestText } from "../http/request.js";

/**
 * An answer that the specification does not allow.
 *
 * @param hint what to do about it, where something can be said
 */
export function protocolError(url: string, path: string, message: string, hint?: string): ProtocolError {
  return new ProtocolError(`${requestText(url, 1)}: ${path} ${message}.`, path, {
    facts: { method: "GET", url },
    ...(hint === undefined ? {} : { hint }),
  });
}
