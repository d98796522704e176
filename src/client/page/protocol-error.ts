import { MAX_DEPTH } from "../../core/depth.js";
import { ProtocolError } from "../../core/errors.js";
import { jsonPath } from "../../core/json.js";
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

/** A value of a record is within the page, its list, the record and perhaps its properties. */
export const PAGE_DEPTH = 4;

/**
 * An answer with a value that is nested too deeply.
 *
 * @param text JSON up to where that is, or more
 * @param offset where the first array or object begins that is beyond the limit
 */
export function depthError(url: string, text: string, offset: number): ProtocolError {
  return protocolError(url, jsonPath(text, offset, PAGE_DEPTH), `is nested deeper than ${MAX_DEPTH} levels`);
}
