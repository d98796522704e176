import { type Endpoint, endpointOf } from "../../api/endpoints.js";
import { type ResolvedFilters, selectsNothing } from "../../api/filters.js";
import type { ResourceName } from "../../api/resources.js";
import type { Service } from "../http/request.js";
import { chunkFilters } from "../page/chunk-filters.js";
import { type OpenQuery, openQuery } from "../page/open-query.js";
import type { PageDecoder } from "../page/page-decoder.js";
import { acceptedPaging, firstPaging, type Paging } from "../page/page-plan.js";
import { type PagedQuery, pagedQuery } from "../page/paged-query.js";
import { protocolError } from "../page/protocol-error.js";
import type { Pseudonym } from "../page/pseudonym.js";
import { Violations } from "../page/violations.js";
import type { ProgressState, ReaderEffects } from "../progress/progress-screen.js";
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
