import { basename } from "node:path";
import { isForOthers, type Origin, type Provenance } from "../provenance.js";
import { type DateFormat, formatAsked, formatIso, formatMinute, shownDates } from "./format-date.js";

/** The known parts of a provenance. */
export interface ProvenanceParts extends Pick<Provenance, "generation" | "asOf"> {
  readonly origin?: Pick<Origin, "kind" | "name">;
  readonly readAt?: Date;
}

/**
 * Forms of the origin and age of records:
 *
 * - `caption`, for tables: `acme.snapshot, generation 3, read 2026-06-30 14:03 UTC, as of 2024-06-30`
 * - `figure`, which is published, so that folders and the URL of a live service are left out: `As of 2024-06-30. Data read
 *   2026-06-30 14:03 UTC (acme.snapshot, generation 3)`
 * - `age`, for the head of a page: `Data read 2026-06-30 14:03 UTC, generation 3`
 * - `generation`, for comparisons: `generation 3 (read 2026-06-30T14:03:20.000Z)`
 * - `source`, for generated files: `snapshot acme.snapshot, generation 3`
 */
export type ProvenanceForm = "caption" | "figure" | "age" | "generation" | "source";

/**
 * Returns the origin and age of records in a form. `caption` and `source` leave out unknown parts; the other forms need the
 * time of reading, `generation` also the generation.
 */
export function provenanceText(
  parts: ProvenanceParts,
  form: ProvenanceForm,
  format: DateFormat = shownDates(),
): string {
  const { origin, readAt, asOf } = parts;
  const generation = parts.generation === undefined ? undefined : `generation ${parts.generation}`;
  const read = readAt && `read ${form === "generation" ? formatIso(readAt, format) : formatMinute(readAt, format)}`;
  const asOfText = asOf === undefined ? undefined : `as of ${formatAsked(asOf, format)}`;
  switch (form) {
    case "caption":
      return listed([origin && originName(origin), generation, read, asOfText]);
    case "figure": {
      const snapshot = generation && origin ? ` (${listed([basename(originName(origin)), generation])})` : "";
      return `${asOfText === undefined ? "" : `A${asOfText.slice(1)}. `}Data ${read}${snapshot}`;
    }
    case "age":
      return listed([`Data ${read}`, generation]);
    case "generation":
      return `${generation} (${read})`;
    case "source":
      return listed([origin && `${origin.kind} ${origin.name}`, generation]).replaceAll(/\s+/g, " ");
  }
}

function listed(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}

const kinds: Readonly<Record<Origin["kind"], string>> = {
  live: "the service",
  memory: "records in memory",
  snapshot: "a snapshot",
};

/** Name of a source in outputs. */
function originName({ kind, name }: Pick<Origin, "kind" | "name">): string {
  return isForOthers() ? kinds[kind] : name;
}
