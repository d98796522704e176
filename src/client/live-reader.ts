import type { ResolvedFilters } from "../api/params.js";
import type { ResourceName } from "../api/resources.js";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import type { ResolvedPageParams } from "./ask/page-params.js";
import type { ReadOptions } from "./ask/read-options.js";
import { resolveReadOptions } from "./ask/resolve-read-options.js";
import { AdaptiveLimiter } from "./http/adaptive-limiter.js";
import { BodyBuffers } from "./http/body-buffers.js";
import { type ConnectionOptions, resolveConnection } from "./http/connection.js";
import { poolTransport } from "./http/transport.js";
import { keylessReader } from "./keyless-reader.js";
import { decodeRecords } from "./page/decode-records.js";
import type { PageDecoder } from "./page/page-decoder.js";
import { pseudonymizer } from "./page/pseudonym.js";
import { type Effects, systemEffects } from "./progress/effects.js";
import { gatherSlices } from "./read/gather-slices.js";
import { joinRows } from "./read/join-rows.js";
import { pagingFor, type Session, startRead } from "./read/read.js";
import { readPages } from "./read/read-pages.js";
import type { Reader, ReadResult } from "./read/reader.js";
import { scopeFindings } from "./read/scope-findings.js";
import { silentFeatures } from "./read/silent-features.js";
import { streamSlices } from "./read/stream-slices.js";
import { mergeSlices } from "./sweep/merge-slices.js";
import type { Slice } from "./sweep/slice.js";

/** Address, key, and the options of every read. */
export type LiveOptions = ConnectionOptions & ReadOptions;

/** A reader of the live service. Its errors and findings hold no key, whatever the service answers. */
export interface LiveReader extends Required<Omit<Reader, "readAt" | "columns" | "changes">> {
  /** Closes the connections. Requests under way are finished first. */
  close(): Promise<void>;
}

/**
 * Reads from the live service.
 *
 * @throws ArgumentError if the address, the key or an option cannot be used
 */
export function liveReader(options: LiveOptions, effects: Effects = systemEffects): LiveReader {
  const connection = resolveConnection(options);
  const { baseUrl: _, apiKey: __, ...defaults } = options;
  const { strict, progress } = resolveReadOptions(defaults);
  const session: Session = {
    connection,
    effects,
    transport: poolTransport(connection.origin),
    limiter: new AdaptiveLimiter(),
    bodies: new BodyBuffers(),
    paging: new Map(),
    pseudonym: pseudonymizer(`live ${connection.baseUrl}`),
  };
  const note = (call: ReadOptions, findings: readonly Finding[]) => tell(call, connection.withoutKey(findings));
  const start = <T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    call: ReadOptions | undefined,
  ) => startRead(session, resource, filters, decoder, resolveReadOptions(defaults, call));

  const reader: LiveReader = {
    origin: { kind: "live", name: connection.baseUrl },
    strict,
    progress,

    async collect<T>(resource: ResourceName, filters: ResolvedFilters, decoder: PageDecoder<T>, call?: ReadOptions) {
      const slices: Slice<T>[] = [];
      const read = await reader.gather(resource, filters, decoder, (slice) => slices.push(slice), call);
      return { ...read, slices: mergeSlices(slices) };
    },

    async gather(resource, filters, decoder, keep, call) {
      const read = start(resource, filters, decoder, call);
      const count = await gatherSlices(read, keep).finally(read.end);
      const readAt = effects.now();
      const hints = count === 0 ? await scopeFindings(reader, resource, read.filters, read.options) : [];
      return { readAt, findings: note(read.options, [...read.violations.findings(), ...hints]) };
    },

    async all<R extends ResourceName>(
      resource: R,
      filters: ResolvedFilters,
      call?: ReadOptions,
    ): Promise<ReadResult<R>> {
      const { slices, readAt, findings } = await reader.collect(resource, filters, decodeRecords<R>, call);
      const rows = await joinRows(slices);
      const silent = resource === "propertyChanges" ? silentFeatures(filters, rows) : [];
      return { rows, readAt, findings: [...findings, ...note(resolveReadOptions(defaults, call), silent)] };
    },

    async *records<R extends ResourceName>(resource: R, filters: ResolvedFilters, call?: ReadOptions) {
      const read = start(resource, filters, decodeRecords<R>, call);
      try {
        for await (const { content, start: from, end } of streamSlices(read)) yield* content.slice(from, end);
      } finally {
        read.end();
      }
      note(read.options, read.violations.findings());
    },

    async *slices(resource, filters, decoder, call) {
      const read = start(resource, filters, decoder, call);
      try {
        yield* streamSlices(read);
      } finally {
        read.end();
      }
      note(read.options, read.violations.findings());
    },

    async page(resource, filters, address, decoder, call) {
      const read = start(resource, filters, decoder, call);
      const [only, second] = read.listings;
      if (!only || second) throw new ArgumentError("A page needs filters that fit one request.");
      const sent = await only.fetch(address, read.signal);
      note(read.options, read.violations.findings());
      return sent;
    },

    async *pages<R extends ResourceName>(resource: R, { filters, sort }: ResolvedPageParams, call?: ReadOptions) {
      const read = start(resource, filters, decodeRecords<R>, call);
      try {
        yield* readPages(read, pagingFor(session, read.endpoint, read.options.pageSize), sort);
      } finally {
        read.end();
      }
      note(read.options, read.violations.findings());
    },

    close: session.transport.close,
  };
  return keylessReader(reader, connection.withoutKey);
}

function tell(options: ReadOptions, findings: readonly Finding[]): readonly Finding[] {
  for (const finding of findings) options.onFinding?.(finding);
  return findings;
}
