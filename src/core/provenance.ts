import { channel } from "node:diagnostics_channel";

/** Where values come from and how old they are. */
export interface Provenance {
  /** The source: its kind, and its address, path or name. Never holds a key. */
  readonly origin: Origin;
  /** Which state of the snapshot, from 1; absent if the origin is none. */
  readonly generation?: number;
  /** When the records were read from the service: the age of the data. Of a snapshot the time of the pull. */
  readonly readAt: Date;
  /**
   * Of values as of a time: the calendar date or the instant that was asked for, as ISO 8601, a date of another time zone
   * than UTC with the zone behind it (RFC 9557): `2024-06-30[Europe/Madrid]`. Absent where values are those that were read.
   */
  readonly asOf?: string;
  /** What the answer rests on beside the records, as the caller gave it: factors, prices, areas. Plain JSON. */
  readonly assumptions?: Readonly<Record<string, unknown>>;
}

/** Where every provenance is told, so that whoever runs a notebook knows what it read. */
export const provenanceChannel = channel("siteframe.provenance");

/** Where the name of every site is told that is asked for by itself. */
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
 * Where a value comes from: a layer, a history, any table of theirs or derived from one by Arquero's verbs (a join has
 * that of its left table), a table of a source, a snapshot.
 *
 * @param value anything
 * @returns undefined for everything else
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

/** Where the records of a source come from. */
export interface Origin {
  /** The service, records in memory, or a snapshot. */
  readonly kind: "live" | "memory" | "snapshot";
  /** Base URL, path of the snapshot, or a name for records in memory. Never holds a key. */
  readonly name: string;
  /** Which state of the snapshot, from 1. */
  readonly generation?: number;
}
