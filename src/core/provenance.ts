import { channel } from "node:diagnostics_channel";

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
  const attached: unknown = Reflect.get(value, "provenance");
  return isProvenance(attached) ? attached : undefined;
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

/** Whether outputs are for readers of a report, and must omit addresses of the data and method calls. */
export function isForOthers(): boolean {
  return process.env["SITEFRAME_ORIGIN"] === "off";
}

/** Language in which reports write dates; undefined for ISO dates, which all other outputs have. */
export function reportLocale(): string | undefined {
  return isForOthers() ? (process.env["SITEFRAME_LOCALE"] ?? "en") : undefined;
}
