import { checkRecord } from "../api/check-record.js";
import { LARGEST_PAGE, type Page } from "../api/contract.js";
import { checkResourceName, type ResolvedFilters } from "../api/filters.js";
import type { LayerFeature, PropertyChange, Records, ResourceName } from "../api/resources.js";
import { propertyComparison, type Row, rowFilter, sortRows } from "../api/select-records.js";
import { personsOf, pseudonymizer, redactRecord } from "../client/page/pseudonym.js";
import type { Reader, ReadResult } from "../client/read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "../client/read-options.js";
import { MAX_DEPTH } from "../core/depth.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { compareText, valueNestsDeeper } from "../core/json.js";
import { checkOptions, date, type OptionRules } from "../core/options.js";
import type { Origin } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";
import { type TimeZones, timeZonesRule } from "../core/time-zone.js";
import { Source } from "./source.js";

/** Records of each resource. Default of each resource: none. */
export type RecordSet = { readonly [R in ResourceName]?: readonly Records[R][] };

/** Options of `fromRecords()`. */
export interface FromRecordsOptions {
  /** Time when the records were read, the end of open intervals of histories. Default: now. */
  readonly readAt?: Date;
  /** Time zone of the sites, in which times are shown: an IANA name, or names by site id. Default: `"UTC"`. */
  readonly timeZone?: TimeZones | undefined;
}

const fromRecordsRules: OptionRules<FromRecordsOptions> = { readAt: date, timeZone: timeZonesRule };

/**
 * Returns a source of records in memory, in the form of the API: for tests, files and other stores.
 *
 * @param records arrays of records by resource. Default of each resource: none
 * @example
 * ```ts
 * const sites = (await source.sites()).objects();
 * const copy = fromRecords({ sites });
 * (await copy.sites()).select("id", "name")
 * ```
 * @throws ArgumentError for an unknown resource, an invalid record, or a repeated id
 */
export function fromRecords(records: RecordSet, options: FromRecordsOptions = {}): Source {
  checkOptions("fromRecords()", options, fromRecordsRules);
  const reader = new MemoryReader(records, options.readAt?.getTime() ?? Date.now());
  return new Source(reader, undefined, options.timeZone);
}

/** Reads records in memory, with the same results as the live API. */
export class MemoryReader implements Reader {
  readonly origin: Origin = { kind: "memory", name: "records" };
  readonly readAt: number;
  readonly #records: ReadonlyMap<ResourceName, readonly object[]>;
  readonly #pseudonym = pseudonymizer(personsOf(this.origin));
  #unknownFeatures: readonly Diagnostic[] | undefined;

  /** @throws ArgumentError for an unknown resource, an invalid record, or a repeated id */
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
    const rows = this.#redacted(resource, this.#selected(resource, filters), options);
    const ofRows = rows.length > 0 ? [] : await this.#whyEmpty(resource, filters, options);
    const diagnostics = resource === "propertyChanges" ? [...ofRows, ...this.#unknownFeatureDiagnostics()] : ofRows;
    for (const diagnostic of diagnostics) options?.onDiagnostic?.(diagnostic);
    return { rows, readAt: this.readAt, diagnostics };
  }

  async *records<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]> {
    yield* this.#redacted(resource, this.#selected(resource, filters), options);
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
    // An empty selection is one page without records.
    for (let page = 1; page <= Math.max(1, pageCount); page += 1) {
      const data = sorted.slice((page - 1) * pageSize, page * pageSize);
      yield { data: this.#redacted(resource, data, options), pagination: { page, pageSize, rowCount, pageCount } };
    }
  }

  /** Only records in memory have such changes: the API is asked only for changes of returned features. */
  #unknownFeatureDiagnostics(): readonly Diagnostic[] {
    const [features, changes] = [this.#records.get("layerFeatures"), this.#records.get("propertyChanges")];
    this.#unknownFeatures ??= features && changes ? unknownFeatureDiagnostics(features, changes) : [];
    return this.#unknownFeatures;
  }

  async #whyEmpty(resource: ResourceName, filters: ResolvedFilters, options: ReadOptions = {}) {
    const { scopeDiagnostics } = await import("../client/read/scope-diagnostics.js");
    const features = (this.#records.get("layerFeatures") ?? []) as readonly LayerFeature[];
    return scopeDiagnostics(this, resource, filters, options, features);
  }

  /** Selected records in ascending order of id. */
  #selected<R extends ResourceName>(resource: R, filters: ResolvedFilters): readonly (Records[R] & Row)[] {
    const rows = (this.#records.get(resource) ?? []) as readonly (Records[R] & Row)[];
    return filters.size === 0 ? rows : rows.filter(rowFilter(resource, filters));
  }

  #redacted<R extends ResourceName>(
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

function unknownFeatureDiagnostics(features: readonly object[], changes: readonly object[]): readonly Diagnostic[] {
  const featureIds = new Set((features as readonly LayerFeature[]).map(({ id }) => id));
  const ids = (changes as readonly PropertyChange[])
    .map(({ layer_feature_id }) => layer_feature_id)
    .filter((id) => !featureIds.has(id));
  if (ids.length === 0) return [];
  const different = [...new Set(ids)];
  const what = ids.length === 1 ? "1 change" : `${ids.length} changes`;
  const [whose, exist] = different.length === 1 ? ["1 feature", "exists"] : [`${different.length} features`, "exist"];
  const named = different.slice(0, 3).join(", ");
  return [
    withSeverity({
      code: "change-without-feature",
      message: `The log has ${what} of ${whose} that no longer ${exist} (id ${named}${different.length > 3 ? ", …" : ""}). Histories skip these changes.`,
      count: ids.length,
      facts: { ids: different.slice(0, MOST_IDS) },
    }),
  ];
}

/** Maximum count of ids in a diagnostic. */
const MOST_IDS = 100;

function checkedRows(resource: ResourceName, rows: readonly { readonly id: number | string }[]): readonly object[] {
  rows.forEach((record, index) => {
    const deep = Object.entries(record).find(([, value]) => valueNestsDeeper(value, MAX_DEPTH + 1))?.[0];
    if (deep !== undefined) {
      throw new ArgumentError(
        `fromRecords(): ${resource}[${index}].${deep} is nested deeper than ${MAX_DEPTH} levels.`,
        {
          hint: "Pass a JSON string instead, or only parts of the value.",
          facts: { resource, index, path: `.${deep}` },
        },
      );
    }
    const violation = checkRecord(resource, record);
    if (violation) {
      throw new ArgumentError(`fromRecords(): ${resource}[${index}]${violation.path} ${violation.message}.`, {
        facts: { resource, index, path: violation.path },
      });
    }
  });
  const sorted = [...rows].sort((a, b) => compareIds(a.id, b.id));
  sorted.forEach(({ id }, index) => {
    if (index === 0 || sorted[index - 1]?.id !== id) return;
    throw new ArgumentError(`fromRecords(): two records of ${resource} have the id ${showValue(id)}.`, {
      hint: "Pass each record once.",
      facts: { resource, id },
    });
  });
  return sorted;
}

function compareIds(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b));
}
