import type { Id } from "../page/page-decoder.js";
import type { Slice } from "../sweep/slice.js";
import { sweep } from "../sweep/sweep.js";
import type { Read } from "./read.js";

/** Pages fetched ahead of the consumer: enough to hide the latency, few enough to keep memory flat. */
const LOOKAHEAD = 2;

/** The slices of a read as they come, one listing after the other. */
export async function* streamSlices<T>(read: Read<T>): AsyncGenerator<Slice<T>, void> {
  const lookahead = { tasks: Math.min(LOOKAHEAD, read.options.concurrency) };
  const isNew = read.listings.length > 1 && read.endpoint.resource !== "propertyChanges" ? newcomers() : undefined;
  for (const listing of read.listings) {
    const opened = await read.open(listing, read.signal);
    for await (const slice of sweep(opened, lookahead, read.signal)) {
      read.signal.throwIfAborted();
      read.tally.rows(slice.end - slice.start);
      if (isNew) yield* isNew(slice);
      else yield slice;
      read.signal.throwIfAborted();
    }
  }
}

/**
 * A row can move from one listing to another while they are read, for example to another dataset, and come twice.
 * Changes cannot: their feature and property never change, so their ids need not be kept.
 */
function newcomers(): <T>(slice: Slice<T>) => Slice<T>[] {
  const known = new Set<Id>();
  return (slice) => {
    const rows = Array.from({ length: slice.end - slice.start }, (_, index) => slice.start + index);
    const unknown = rows.filter((row) => {
      const id = slice.ids.at(row);
      return id !== undefined && !known.has(id) && known.add(id);
    });
    if (unknown.length === rows.length) return [slice];
    return unknown.map((row) => ({ ...slice, start: row, end: row + 1 }));
  };
}
