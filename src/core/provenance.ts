import { channel } from "node:diagnostics_channel";
import { basename } from "node:path";
import { type DateFormat, formatAsked, formatIso, formatMinute, inUtc } from "./format/format-date.js";

/** The origin and age of values. */
export interface Provenance {
  /** Kind of the source, with its URL, path or name. Never contains a key. */
  readonly origin: Origin;
  /** Generation of the snapshot, from 1; absent for other origins. */
  readonly generation?: number;
  /** When the records were read from the service: the age of the data. For a snapshot, the time of the pull. */
  readonly readAt: Date;
  /**
   * For past values: the requested date or instant in ISO 8601; a date in a time zone other than UTC has the zone as a
   * suffix (RFC 9557): `2024-06-30[Europe/Madrid]`. Absent for values as read.
   */
  readonly asOf?: string;
  /** Inputs other than the records, as the caller passed them: factors, prices, areas. Plain JSON. */
  readonly assumptions?: Readonly<Record<string, unknown>>;
}

/** Receives every provenance, so that the runner of a notebook can list its sources. */
export const provenanceChannel = channel("siteframe.provenance");

/** Receives the name of every site that is requested by itself. */
export const siteChannel = channel("siteframe.site");

/** @internal */
export function provenance(origin: Origin, readAt: number, asOf?: string): Provenance {
  const { generation } = origin;
  const made: Provenance = {
    origin,
    ...(generation === undefined ? {} : { generation }),
    readAt: new Date(readAt),
    ...(asOf === undefined ? {} : { asOf }),
  };
  provenanceChannel.publish(made);
  return made;
}

/**
 * Returns the provenance of a layer, a history, any table derived from one by Arquero verbs (a join has the provenance
 * of its left table), a table of a source, or a snapshot.
 *
 * @param value anything
 * @returns undefined for other values
 * @example
 * ```ts
 * provenanceOf(history.asOf("2025-06-30"))?.asOf
 * ```
 */
export function provenanceOf(value: unknown): Provenance | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, "provenance");
  return isProvenance(found) ? found : undefined;
}

function isProvenance(value: unknown): value is Provenance {
  if (typeof value !== "object" || value === null) return false;
  const { origin, readAt } = value as Partial<Provenance>;
  return typeof origin === "object" && origin !== null && readAt instanceof Date;
}

/** The source of records. */
export interface Origin {
  /** The service, records in memory, or a snapshot. */
  readonly kind: "live" | "memory" | "snapshot";
  /** Base URL, path of the snapshot, or a name for records in memory. Never contains a key. */
  readonly name: string;
  /** Generation of the snapshot, from 1. */
  readonly generation?: number;
}

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

/** Returns the origin and age of records in a form. Parts that are unknown are left out. */
export function provenanceText(parts: ProvenanceParts, form: ProvenanceForm, format: DateFormat = inUtc): string {
  const { origin, readAt, asOf } = parts;
  const generation = parts.generation === undefined ? undefined : `generation ${parts.generation}`;
  const read = readAt && `read ${form === "generation" ? formatIso(readAt, format) : formatMinute(readAt, format)}`;
  const asked = asOf === undefined ? undefined : `as of ${formatAsked(asOf)}`;
  switch (form) {
    case "caption":
      return listed([origin && originName(origin), generation, read, asked]);
    case "figure": {
      const snapshot = generation && origin ? ` (${listed([basename(originName(origin)), generation])})` : "";
      return `${asked === undefined ? "" : `A${asked.slice(1)}. `}Data ${read}${snapshot}`;
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

/** Whether outputs are for readers of a report, and must omit addresses of the data and method calls. */
export function isForOthers(): boolean {
  return process.env["SITEFRAME_ORIGIN"] === "off";
}
