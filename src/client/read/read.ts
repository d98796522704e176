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
import { progressText, progressView, ReadProgress } from "../progress/progress-view.js";
import type { Progress, ResolvedReadOptions } from "../read-options.js";

/** Smaller pages cannot be laid across every boundary between two others, and so cannot prove that nothing is missing. */
const SMALLEST_PROOF = 10;

const KEPT_HINT = "With strict: false, such records are kept and noted as findings.";

/** What a reader remembers between reads: the terms on which the service answers for each resource. */
export interface Session extends Service {
  readonly effects: ReaderEffects;
  readonly paging: Map<ResourceName, Paging>;
  readonly pseudonym: Pseudonym;
}

/** One read of a resource: as many queries as its filters need, and what is noted on the way. */
export interface Read<T> {
  readonly endpoint: Endpoint;
  readonly filters: ResolvedFilters;
  readonly options: ResolvedReadOptions;
  readonly signal: AbortSignal;
  readonly queries: readonly PagedQuery<T>[];
  readonly tally: ReadProgress;
  readonly violations: Violations;
  /** Fetches the first page of a query. */
  readonly open: (query: PagedQuery<T>, signal: AbortSignal) => Promise<OpenQuery<T>>;
  /** Must be called when the read is over, however it went. */
  readonly end: () => void;
}

/** Prepares a read. Nothing is sent. */
export function startRead<T>(
  session: Session,
  resource: ResourceName,
  filters: ResolvedFilters,
  decoder: PageDecoder<T>,
  options: ResolvedReadOptions,
): Read<T> {
  const endpoint = endpointOf(resource);
  const chunks = selectsNothing(filters) ? [] : chunkFilters(endpoint, filters);
  const screen = options.progress && !options.onProgress ? session.effects.screen() : undefined;
  const view = screen && progressView(screen, session.effects, readState);
  const tally = new ReadProgress(resource, chunks.length, view?.update ?? options.onProgress);
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
      const wanted = pagingFor(session, endpoint, pageSize && Math.max(pageSize, SMALLEST_PROOF));
      const opening = await openQuery(opened, wanted, signal);
      if (opening.paging !== wanted) session.paging.set(resource, acceptedPaging(opening.paging, wanted));
      return opening;
    },
    end: () => view?.end(),
  };
}

function readState(progress: Progress, elapsedMs: number): ProgressState {
  const { resource, share } = progress;
  return { title: resource, share, text: progressText(progress, elapsedMs) };
}

/** The terms to ask on: the caller's and the contract's, no bolder than those that the service accepted before. */
export function pagingFor(session: Session, endpoint: Endpoint, pageSize: number | undefined): Paging {
  const wanted = firstPaging(endpoint, pageSize);
  const known = session.paging.get(endpoint.resource);
  if (!known) return wanted;
  const smaller =
    known.pageSize === undefined ? undefined : Math.min(known.pageSize, wanted.pageSize ?? known.pageSize);
  return { byId: known.byId, pageSize: smaller };
}
