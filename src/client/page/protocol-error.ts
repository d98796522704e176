import { ProtocolError } from "../../core/errors.js";

/** An answer that the specification does not allow. */
export function protocolError(url: string, path: string, message: string): ProtocolError {
  return new ProtocolError(`${requestText(url, 1)}: ${path} ${message}.`, path, {
    facts: { method: "GET", url },
    hint: path.startsWith("$.data[") ? "With strict: false, such records are kept and noted as findings." : "",
  });
}

const LONGEST_URL = 300;

/** A request as error messages name it: `GET https://…/sites?_page=1 (3 attempts)`. */
export function requestText(url: string, attempts: number): string {
  const short = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
  return `GET ${short}${attempts > 1 ? ` (${attempts} attempts)` : ""}`;
}
