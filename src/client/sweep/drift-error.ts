import { DriftError } from "../../core/errors.js";
import type { StatedCounts } from "./stated-counts.js";

/** The numbers of a read that would not settle. */
export function driftError(
  resource: string,
  why: string,
  rows: number,
  requests: number,
  counts: StatedCounts,
): DriftError {
  const range = counts.least === counts.most ? `${counts.most}` : `${counts.least} to ${counts.most}`;
  return new DriftError(
    `${resource} kept changing while it was read: ${why}. ${rows} rows came in ${requests} requests, and the service counted ${range}.`,
    {
      facts: { resource, rows, requests, leastRowCount: counts.least, mostRowCount: counts.most },
      hint: "Read again when the data is calmer, or narrow the filters.",
    },
  );
}
