import { checkRecord } from "../../api/check-record.js";
import type { DecodeContext } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";

/**
 * Compares an element of a page's `data` with the contract, and reports how it breaks it.
 *
 * @throws ProtocolError if it is no record or has no id: without their ids, rows can be neither counted nor told apart,
 * so that is never only a finding
 */
export function checkRow(record: unknown, index: number, context: DecodeContext): void {
  const violation = checkRecord(context.resource, record);
  if (!violation) return;
  const path = `$.data[${index}]${violation.path}`;
  if (violation.path === "" || violation.path === ".id") throw protocolError(context.url, path, violation.message);
  context.onViolation(path, violation.message);
}
