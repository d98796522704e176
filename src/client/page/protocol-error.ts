import { ProtocolError } from "../../core/errors.js";

/** An answer that the specification does not allow. */
export function protocolError(url: string, path: string, message: string): ProtocolError {
  return new ProtocolError(`GET ${url.slice(0, 300)}: ${path} ${message}.`, path, {
    facts: { method: "GET", url },
    hint: path.startsWith("$.data[") ? "With strict: false, such records are kept and noted as findings." : "",
  });
}
