import { checkRecord } from "../api/check-record.js";
import { checkResourceName } from "../api/check-resource-name.js";
import type { Page } from "../api/page.js";
import type { Params, ResolvedFilters } from "../api/params.js";
import { resolveFilters } from "../api/resolve-filters.js";
import type { Records, ResourceName } from "../api/resources.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader, ReadResult } from "../client/ask/reader.js";
import { pseudonymizer } from "../client/page/pseudonym.js";
import { redactRecord } from "../client/page/redact-record.js";
import { ArgumentError } from "../core/errors.js";
import { compareText } from "../core/json.js";
import type { Origin } from "../core/origin.js";
import { showValue } from "../core/show-value.js";

/** Records of each resource; a resource that is left out has none. */
export type RecordSet = { readonly [R in ResourceName]?: readonly Records[R][] };

/** Reads records that are at hand, with the answers that the live API would give. */
export class MemoryReader implements Reader {
  readonly origin: Origin = { kind: "memory", name: "records" };
  readonly readAt: number;
  readonly #records: ReadonlyMap<ResourceName, readonly object[]>;
  // Whoever has the records has the persons' names: the secret only has to be the same tomorrow.
  readonly #pseudonym = pseudonymizer(`${this.origin.kind} ${this.origin.name}`);

  /** @throws ArgumentError for a name that is no resource, a record that breaks the contract, or an id that comes twice */
  constructor(records: RecordSet, readAt: number) {
    this.#records = new Map(
      Object.entries(records).map(([name, rows]) => {
        const resource = checkResourceName(name);
        return [resource, checkedRows(resource, rows)];
      }),
    );
    this.readAt = readAt;
  }

  async all<R extends ResourceName>(resource: R, params: Params<R>, options?: ReadOptions): Promise<ReadResult<R>> {
    return { rows: this.#select(resource, params, options), readAt: this.readAt, findings: [] };
  }

  async *records<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]> {
    yield* this.#select(resource, params, options);
  }

  async *pages<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>> {
    const data = this.#select(resource, params, options);
    const size = Math.max(1, data.length);
    yield { data, pagination: { page: 1, pageSize: size, rowCount: data.length, pageCount: Math.sign(data.length) } };
  }

  #select<R extends ResourceName>(resource: R, params: Params<R>, { redact }: ReadOptions = {}): readonly Records[R][] {
    const filters = resolveFilters(resource, params);
    const all = (this.#records.get(resource) ?? []) as readonly Records[R][];
    const rows = all.filter(matcher(filters));
    return redact ? rows.map((record) => redactRecord(resource, record, this.#pseudonym)) : rows;
  }
}

function matcher(filters: ResolvedFilters): (record: object) => boolean {
  const wanted = [...filters].map(([name, values]) => [name, new Set<unknown>(values)] as const);
  return (record) => wanted.every(([name, values]) => values.has((record as Record<string, unknown>)[name] ?? null));
}

function checkedRows(resource: ResourceName, rows: readonly { readonly id: number | string }[]): readonly object[] {
  rows.forEach((record, index) => {
    const violation = checkRecord(resource, record);
    if (violation) {
      throw new ArgumentError(`${resource}[${index}]${violation.path} ${violation.message}.`, {
        facts: { resource, index, path: violation.path },
      });
    }
  });
  const sorted = [...rows].sort((a, b) => compareIds(a.id, b.id));
  sorted.forEach(({ id }, index) => {
    if (index === 0 || sorted[index - 1]?.id !== id) return;
    throw new ArgumentError(`${resource} has two records with the id ${showValue(id)}.`, {
      hint: "Give each record once.",
      facts: { resource, id },
    });
  });
  return sorted;
}

function compareIds(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b));
}
