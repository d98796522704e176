import { checkRecord } from "../../api/check-record.js";
import type { ResourceName } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import type { DecodeContext } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";

interface Kind {
  readonly path: string;
  readonly message: string;
  readonly url: string;
  count: number;
}

/** Breaches of the contract that a lenient read came across, one finding for each field. */
export class Violations {
  readonly #resource: ResourceName;
  readonly #kinds = new Map<string, Kind>();

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  add(url: string, path: string, message: string): void {
    const place = path.replace(/^\$\.data\[\d+\]/, "$.data[*]");
    const kind = this.#kinds.get(place);
    if (kind) kind.count += 1;
    else this.#kinds.set(place, { path, message, url, count: 1 });
  }

  findings(): readonly Finding[] {
    return [...this.#kinds].map(([place, { path, message, url, count }]) => ({
      code: "contract-violation",
      message: `${this.#resource}: ${count} records break the contract at ${place}; the first one: ${path} ${message}.`,
      count,
      facts: { resource: this.#resource, path: place, first: { path, message, url } },
    }));
  }
}

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
