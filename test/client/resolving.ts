import { type Params, resolveFilters } from "../../src/api/filters.js";
import type { ResourceName } from "../../src/api/resources.js";
import type { LiveReader } from "../../src/client/live-reader.js";
import type { PageDecoder } from "../../src/client/page/page-decoder.js";
import type { PageAddress } from "../../src/client/page/paged-query.js";
import { type PageParams, type ReadOptions, resolvePageParams } from "../../src/client/read-options.js";
import { openIterable } from "../../src/source/source.js";

/** A live reader that resolves loose parameters like a source. */
export function resolving(reader: LiveReader) {
  return {
    origin: reader.origin,
    all: async <R extends ResourceName>(resource: R, params: Params<R>, options?: ReadOptions) =>
      reader.all(resource, resolveFilters(resource, params), options),
    records: <R extends ResourceName>(resource: R, params: Params<R>, options?: ReadOptions) =>
      openIterable(() => reader.records(resource, resolveFilters(resource, params), options)),
    pages: <R extends ResourceName>(resource: R, params: PageParams<R>, options?: ReadOptions) =>
      openIterable(() => reader.pages(resource, resolvePageParams(resource, params), options)),
    collect: async <R extends ResourceName, T>(resource: R, params: Params<R>, decoder: PageDecoder<T>) =>
      reader.collect(resource, resolveFilters(resource, params), decoder),
    slices: <R extends ResourceName, T>(resource: R, params: Params<R>, decoder: PageDecoder<T>) =>
      openIterable(() => reader.slices(resource, resolveFilters(resource, params), decoder)),
    page: async <R extends ResourceName, T>(
      resource: R,
      params: Params<R>,
      address: PageAddress,
      decoder: PageDecoder<T>,
    ) => reader.page(resource, resolveFilters(resource, params), address, decoder),
    close: () => reader.close(),
  };
}

export type ResolvingReader = ReturnType<typeof resolving>;
