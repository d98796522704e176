import { ProtocolError } from "../../core/errors.js";
import { requestText } from "./request-text.js";

/** An answer that the specification does not allow. */
export function protocolError(url: string, path: string, message: string): ProtocolError {
  return new ProtocolError(`${requestText(url, 1)}: ${path} ${message}.`, path, {
    facts: { method: "GET", url },
    hint: path.startsWith("$.data[") ? "With strict: false, such records are kept and noted as findings." : "",
  });
}
