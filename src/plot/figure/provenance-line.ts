import { basename } from "node:path";
import { type Provenance, provenanceOf } from "../../core/provenance.js";

/** An option of every figure. */
export interface ProvenanceOptions {
  /**
   * What the line below says where the data come from and how old they are of: a layer, a history or a table of
   * theirs. By default what the figure was made of. `false` leaves the line out.
   */
  readonly provenance?: unknown;
}

/** The provenance of what a figure was asked to name, else of the first table among the data of its marks. */
export function figureProvenance(asked: unknown, marks: readonly unknown[]): Provenance | undefined {
  if (asked !== undefined && asked !== false) return provenanceOf(asked);
  for (const mark of marks.flat(Number.POSITIVE_INFINITY)) {
    const found = provenanceOf(typeof mark === "object" && mark !== null ? Reflect.get(mark, "data") : undefined);
    if (found) return found;
  }
  return undefined;
}

/**
 * `Data read 2026-06-30 14:03 UTC (acme.snapshot, generation 2)`. The address of a live service and the folders
 * around a snapshot are nobody's business who gets a report.
 */
export function provenanceLine({ origin, generation, readAt }: Provenance): string {
  const snapshot = generation === undefined ? "" : ` (${basename(origin.name)}, generation ${generation})`;
  return `Data read ${readAt.toISOString().slice(0, 16).replace("T", " ")} UTC${snapshot}`;
}
