import { checkRecord } from "../api/check-record.js";
import { checkResourceName } from "../api/check-resource-name.js";
import { LARGEST_PAGE } from "../api/contract.js";
import type { ResolvedFilters } from "../api/filters.js";
import type { Page } from "../api/page.js";
import type { LayerFeature, PropertyChange, Records, ResourceName } from "../api/resources.js";
import { propertyComparison, type Row, rowFilter, sortRows } from "../api/select-records.js";
import { personsOf, pseudonymizer, redactRecord } from "../client/page/pseudonym.js";
import type { Reader, ReadResult } from "../client/read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "../client/read-options.js";
import { MAX_DEPTH } from "../core/depth.js";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { compareText, valueNestsDeeper } from "../core/json.js";
import type { Origin } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";

/** Records of each resource; a resource that is left out has none. */
export type RecordSet = { readonly [R in ResourceName]?: readonly Records[R][] };

/** Reads records that are at hand, with the answers that the live API would give. */
export class MemoryReader implements Reader {
  readonly origin: Origin = { kind: "memory", name: "records" };
  readonly readAt: number;
  readonly #records: ReadonlyMap<ResourceName, readonly object[]>;
  readonly #pseudonym = pseudonymizer(personsOf(this.origin));
  #unknownFeatures: readonly Finding[] | undefined;

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

  async all<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): Promise<ReadResult<R>> {
    const rows = this.#shown(resource, this.#selected(resource, filters), options);
    const ofRows = rows.length > 0 ? [] : await this.#whyEmpty(resource, filters, options);
    const findings = resource === "propertyChanges" ? [...ofRows, ...this.#unknownFeatureFindings()] : ofRows;
    for (const finding of findings) options?.onFinding?.(finding);
    return { rows, readAt: this.readAt, findings };
  }

  async *records<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]> {
    yield* this.#shown(resource, this.#selected(resource, filters), options);
  }

  async *pages<R extends ResourceName>(
    resource: R,
    { filters, sort }: ResolvedPageParams,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>> {
    const { pageSize = LARGEST_PAGE } = resolveReadOptions({}, options);
    const selected = this.#selected(resource, filters);
    const comparisonOf = (key: string) => propertyComparison(key, filters, this.#typeOf(key));
    const sorted = sort.length === 0 ? selected : sortRows(resource, selected, sort, comparisonOf);
    const rowCount = sorted.length;
    const pageCount = Math.ceil(rowCount / pageSize);
    // A selection without records is one page without records.
    for (let page = 1; page <= Math.max(1, pageCount); page += 1) {
      const data = sorted.slice((page - 1) * pageSize, page * pageSize);
      yield { data: this.#shown(resource, data, options), pagination: { page, pageSize, rowCount, pageCount } };
    }
  }

  /** Only records in memory have such changes: a service is asked for changes of the features that it has returned. */
  #unknownFeatureFindings(): readonly Finding[] {
    const [features, changes] = [this.#records.get("layerFeatures"), this.#records.get("propertyChanges")];
    this.#unknownFeatures ??= features && changes ? unknownFeatureFindings(features, changes) : [];
    return this.#unknownFeatures;
  }

  async #whyEmpty(resource: ResourceName, filters: ResolvedFilters, options: ReadOptions = {}) {
    const { scopeFindings } = await import("../client/read/scope-findings.js");
    const features = (this.#records.get("layerFeatures") ?? []) as readonly LayerFeature[];
    return scopeFindings(this, resource, filters, options, features);
  }

  /** In ascending order of id. */
  #selected<R extends ResourceName>(resource: R, filters: ResolvedFilters): readonly (Records[R] & Row)[] {
    const rows = (this.#records.get(resource) ?? []) as readonly (Records[R] & Row)[];
    return filters.size === 0 ? rows : rows.filter(rowFilter(resource, filters));
  }

  #shown<R extends ResourceName>(
    resource: R,
    rows: readonly Records[R][],
    { redact }: ReadOptions = {},
  ): readonly Records[R][] {
    return redact ? rows.map((record) => redactRecord(resource, record, this.#pseudonym)) : rows;
  }

  /** Type of a property's definition. */
  #typeOf(key: string): string | undefined {
    const definitions = this.#selected("propertyDefinitions", new Map());
    return definitions.find(({ id }) => id.toLowerCase() === key.toLowerCase())?.type;
  }
}

function unknownFeatureFindings(features: readonly object[], changes: readonly object[]): readonly Finding[] {
  const known = new Set((features as readonly LayerFeature[]).map(({ id }) => id));
  const ids = (changes as readonly PropertyChange[])
    .map(({ layer_feature_id }) => layer_feature_id)
    .filter((id) => !known.has(id));
  if (ids.length === 0) return [];
  const different = [...new Set(ids)];
  const what = ids.length === 1 ? "1 change" : `${ids.length} changes`;
  const [whose, exist] = different.length === 1 ? ["1 feature", "exists"] : [`${different.length} features`, "exist"];
  const named = different.slice(0, 3).join(", ");
  return [
    {
      code: "change-without-feature",
      message: `The log has ${what} of ${whose} that no longer ${exist} (id ${named}${different.length > 3 ? ", …" : ""}). Histories leave such changes out.`,
      count: ids.length,
      facts: { ids: different.slice(0, MOST_IDS) },
    },
  ];
}

/** Ids that a finding lists. */
const MOST_IDS = 100;

function checkedRows(resource: ResourceName, rows: readonly { readonly id: number | string }[]): readonly object[] {
  rows.forEach((record, index) => {
    const deep = Object.entries(record).find(([, value]) => valueNestsDeeper(value, MAX_DEPTH + 1))?.[0];
    if (deep !== undefined) {
      throw new ArgumentError(`${resource}[${index}].${deep} is nested deeper than ${MAX_DEPTH} levels.`, {
        hint: "Replace it by a string or by its parts.",
        facts: { resource, index, path: `.${deep}` },
      });
    }
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
