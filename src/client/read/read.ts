import { type Endpoint, endpointOf } from "../../api/endpoints.js";
import type { FilterValue } from "../../api/filters.js";
import { type ResolvedFilters, selectsNothing } from "../../api/filters.js";
import type { ResourceName } from "../../api/resources.js";
import type { Service } from "../http/request.js";
import { type OpenQuery, openQuery } from "../page/open-query.js";
import type { PageDecoder } from "../page/page-decoder.js";
import { acceptedPaging, firstPaging, type Paging } from "../page/page-plan.js";
import { type PagedQuery, pagedQuery } from "../page/paged-query.js";
import { protocolError } from "../page/protocol-error.js";
import type { Pseudonym } from "../page/pseudonym.js";
import { Violations } from "../page/violations.js";
import type { ProgressState, ReaderEffects } from "../progress/progress-view.js";
import { progressText, progressView, ReadTally } from "../progress/progress-view.js";
import type { ReadProgress, ResolvedReadOptions } from "../read-options.js";

/** Smaller pages cannot span every boundary between two others, and so cannot prove completeness. */
const SMALLEST_PROOF = 10;

const KEPT_HINT = "To keep such records and get diagnostics, pass { strict: false }.";

/** State of a reader between reads: the terms that the service accepts for each resource. */
export interface Session extends Service {
  readonly effects: ReaderEffects;
  readonly paging: Map<ResourceName, Paging>;
  readonly pseudonym: Pseudonym;
}

/** A read of a resource: the queries for its filters, and its diagnostics. */
export interface Read<T> {
  readonly endpoint: Endpoint;
  readonly filters: ResolvedFilters;
  readonly options: ResolvedReadOptions;
  readonly signal: AbortSignal;
  readonly queries: readonly PagedQuery<T>[];
  readonly tally: ReadTally;
  readonly violations: Violations;
  /** Fetches the first page of a query. */
  readonly open: (query: PagedQuery<T>, signal: AbortSignal) => Promise<OpenQuery<T>>;
  /** Must be called after the read, also after a failure. */
  readonly end: () => void;
}

/** Prepares a read without sending a request. */
export function startRead<T>(
  session: Session,
  resource: ResourceName,
  filters: ResolvedFilters,
  decoder: PageDecoder<T>,
  options: ResolvedReadOptions,
): Read<T> {
  const endpoint = endpointOf(resource);
  const chunks = selectsNothing(filters) ? [] : chunkFilters(endpoint, filters);
  const screen = options.showProgress && !options.onProgress ? session.effects.screen() : undefined;
  const view = screen && progressView(screen, session.effects, readState);
  const tally = new ReadTally(resource, chunks.length, view?.update ?? options.onProgress);
  const violations = new Violations(resource);
  const context = {
    service: session,
    decoder,
    options,
    pseudonym: options.redact ? session.pseudonym : undefined,
    onViolation(url: string, path: string, message: string) {
      if (options.strict) throw protocolError(url, path, message, KEPT_HINT);
      violations.add(url, path, message);
    },
  };
  const queries = chunks.map((chunk, part) =>
    pagedQuery<T>(endpoint, chunk, {
      ...context,
      onPage: ({ bytes, pagination }) => tally.page(part, bytes, pagination.rowCount),
    }),
  );
  return {
    endpoint,
    filters,
    options,
    signal: options.signal ?? new AbortController().signal,
    queries,
    tally,
    violations,
    async open(opened, signal) {
      const { pageSize } = options;
      const requested = pagingFor(session, endpoint, pageSize && Math.max(pageSize, SMALLEST_PROOF));
      const opening = await openQuery(opened, requested, signal);
      if (opening.paging !== requested) session.paging.set(resource, acceptedPaging(opening.paging, requested));
      return opening;
    },
    end: () => view?.end(),
  };
}

function readState(progress: ReadProgress, elapsedMs: number): ProgressState {
  const { resource, share } = progress;
  return { title: resource, share, text: progressText(progress, elapsedMs) };
}

/** Paging for a request: the caller's and the contract's, limited to terms that the service accepted before. */
export function pagingFor(session: Session, endpoint: Endpoint, pageSize: number | undefined): Paging {
  const requested = firstPaging(endpoint, pageSize);
  const remembered = session.paging.get(endpoint.resource);
  if (!remembered) return requested;
  const smaller =
    remembered.pageSize === undefined
      ? undefined
      : Math.min(remembered.pageSize, requested.pageSize ?? remembered.pageSize);
  return { byId: remembered.byId, pageSize: smaller };
}

/** Maximum bytes of filters in a URL: common servers reject request lines over 8 KB. */
const LONGEST_FILTERS = 7_600;

interface Split {
  readonly name: string;
  readonly values: readonly FilterValue[];
  /** Bytes of each value in the URL, including its name. */
  readonly sizes: readonly number[];
  readonly bytes: number;
  readonly parts: number;
}

/**
 * Splits filters with many values, so that each part fits the endpoint's limits and one URL. The parts cover every
 * combination of values and together select the same rows.
 */
function chunkFilters(
  endpoint: Endpoint,
  filters: ResolvedFilters,
  longest = LONGEST_FILTERS,
): readonly ResolvedFilters[] {
  let splits = [...filters].map(([name, values]) =>
    firstSplit(name, values, endpoint.filters[name]?.maxValues ?? values.length, longest),
  );
  while (splits.reduce((sum, split) => sum + longestPart(split), 0) > longest) {
    const widest = splits.filter(({ parts, values }) => parts < values.length).reduce(gainsMore, undefined);
    if (!widest) break;
    splits = splits.map((split) => (split === widest ? { ...split, parts: split.parts + 1 } : split));
  }
  const none: readonly ResolvedFilters[] = [new Map()];
  return splits.reduce(
    (chunks, split) =>
      chunks.flatMap((chunk) => partsOf(split, split.values).map((part) => new Map([...chunk, [split.name, part]]))),
    none,
  );
}

function firstSplit(name: string, values: readonly FilterValue[], most: number, longest: number): Split {
  // "=" and "&", and "%5B%5D" if null makes all values use the bracketed form.
  const extra = encodeURIComponent(name).length + 2 + (values.includes(null) ? 6 : 0);
  const sizes = values.map((value) => extra + (value === null ? 0 : encodeURIComponent(value).length));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const parts = Math.min(values.length, Math.max(Math.ceil(values.length / most), Math.ceil(bytes / longest)));
  return { name, values, sizes, bytes, parts };
}

/** The filter for which one more part saves most bytes per request. */
function gainsMore(best: Split | undefined, next: Split): Split {
  return best && best.bytes / (best.parts + 1) >= next.bytes / (next.parts + 1) ? best : next;
}

function longestPart(split: Split): number {
  return Math.max(...partsOf(split, split.sizes).map((sizes) => sizes.reduce((sum, size) => sum + size, 0)));
}

/** Items in the parts of a split, of nearly equal length. */
function partsOf<T>({ parts }: Split, items: readonly T[]): readonly (readonly T[])[] {
  const bound = (index: number) => Math.floor((index * items.length) / parts);
  return Array.from({ length: parts }, (_, index) => items.slice(bound(index), bound(index + 1)));
}
