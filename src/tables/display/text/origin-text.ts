import type { Provenance } from "../../../core/provenance.js";

/**
 * Where a value's records come from and how old they are, for captions: `acme.snapshot, generation 3, read 2026-…Z`, with
 * `, as of 2024-06-30` behind it where that was asked for.
 */
export function originText({ origin, generation, readAt, asOf }: Provenance): string {
  const state = generation === undefined ? "" : `, generation ${generation}`;
  return `${origin.name}${state}, read ${readAt.toISOString()}${asOf === undefined ? "" : `, as of ${asOf}`}`;
}
