import type { Provenance } from "../../core/provenance.js";

/** Where a value's records come from and how old they are, for captions: `acme.snapshot, generation 3, read 2026-…Z`. */
export function originText({ origin, generation, readAt }: Provenance): string {
  const state = generation === undefined ? "" : `, generation ${generation}`;
  return `${origin.name}${state}, read ${readAt.toISOString()}`;
}
