import { checkRecord } from "../../api/check-record.js";
import type { ResourceName } from "../../api/resources.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import type { DecodeContext } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";

interface Kind {
  readonly path: string;
  readonly message: string;
  readonly url: string;
  count: number;
}

/** Contract violations of a lenient read, one diagnostic per field. */
export class Violations {
  readonly #resource: ResourceName;
  readonly #kinds = new Map<string, Kind>();

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  add(url: string, path: string, message: string): void {
    const pattern = path.replace(/^\$\.data\[\d+\]/, "$.data[*]");
    const kind = this.#kinds.get(pattern);
    if (kind) kind.count += 1;
    else this.#kinds.set(pattern, { path, message, url, count: 1 });
  }

  diagnostics(): readonly Diagnostic[] {
    return [...this.#kinds].map(([pattern, { path, message, url, count }]) =>
      withSeverity({
        code: "record-invalid",
        message: `${this.#resource}: ${count} records violate the contract at ${pattern}. First: ${path} ${message}.`,
        count,
        facts: { resource: this.#resource, path: pattern, first: { path, message, url } },
      }),
    );
  }
}

/**
 * Checks an element of a page's `data` against the contract, and reports violations.
 *
 * @throws ProtocolError if it is not a record or has no id, even in lenient reads: rows without ids can be neither
 * counted nor distinguished
 */
export function checkRow(record: unknown, index: number, context: DecodeContext): void {
  const violation = checkRecord(context.resource, record);
  if (!violation) return;
  const path = `$.data[${index}]${violation.path}`;
  if (violation.path === "" || violation.path === ".id") throw protocolError(context.url, path, violation.message);
  context.onViolation(path, violation.message);
}
