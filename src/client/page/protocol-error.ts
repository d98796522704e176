import { MAX_DEPTH } from "../../core/depth.js";
import { ProtocolError } from "../../core/errors.js";
import { jsonPath } from "../../core/json.js";
import { requestText } from "../http/request.js";

/**
 * Returns the error for a response that the specification does not allow.
 *
 * @param hint how to fix it, if known
 */
export function protocolError(url: string, path: string, message: string, hint?: string): ProtocolError {
  return new ProtocolError(`${requestText(url, 1)}: ${path} ${message}.`, path, {
    facts: { method: "GET", url },
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Nesting of a record's value: the page, its list, the record and possibly its properties. */
export const PAGE_DEPTH = 4;

/**
 * Returns the error for a value that is nested too deeply.
 *
 * @param text JSON up to the value, or more
 * @param offset start of the first array or object beyond the limit
 */
export function depthError(url: string, text: string, offset: number): ProtocolError {
  return protocolError(url, jsonPath(text, offset, PAGE_DEPTH), `is nested deeper than ${MAX_DEPTH} levels`);
}
