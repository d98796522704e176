import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** A `Temporal.Instant`, of whatever engine or polyfill. */
export interface TemporalInstant {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.Instant";
  /** Its ISO 8601 text in UTC. */
  toString(): string;
}

/** A `Temporal.ZonedDateTime`: the instant that it is. Its zone does not count, since it is no calendar date. */
export interface TemporalZonedDateTime {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.ZonedDateTime";
  /** The instant that it is. */
  toInstant(): TemporalInstant;
}

/** A `Temporal.PlainDate`: a calendar date, of whatever calendar. */
export interface TemporalPlainDate {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.PlainDate";
  /**
   * Its ISO 8601 text.
   *
   * @param options says that no calendar is named
   */
  toString(options: { readonly calendarName: "never" }): string;
}

/** What of Temporal is a point in time. A `PlainDateTime` is none: it names no time zone. */
export type TemporalPoint = TemporalInstant | TemporalZonedDateTime | TemporalPlainDate;

/**
 * A point of Temporal as the text that means the same: an instant in UTC, or a calendar date. Everything else as it is.
 *
 * They are known by their tag, not by their class: Node before 26 has no Temporal, and each polyfill has classes of its own.
 *
 * @throws ArgumentError for a `PlainDateTime` and all else of Temporal that is no point in time
 */
export function withoutTemporal<Point>(point: Point): Exclude<Point, TemporalPoint> | string {
  const tag: unknown = typeof point === "object" && point !== null ? Reflect.get(point, Symbol.toStringTag) : undefined;
  if (typeof tag !== "string" || !tag.startsWith("Temporal.")) return point as Exclude<Point, TemporalPoint>;
  const known = point as unknown as TemporalPoint;
  switch (known[Symbol.toStringTag]) {
    case "Temporal.Instant":
      return (known as TemporalInstant).toString();
    case "Temporal.ZonedDateTime":
      return (known as TemporalZonedDateTime).toInstant().toString();
    case "Temporal.PlainDate":
      return (known as TemporalPlainDate).toString({ calendarName: "never" });
    default:
      throw noPoint(tag, point);
  }
}

function noPoint(tag: string, value: unknown): ArgumentError {
  const shown = `${tag} ${showValue(String(value))}`;
  if (tag !== "Temporal.PlainDateTime") {
    return new ArgumentError(`${shown} is no point in time.`, {
      hint: "Give a Temporal.Instant, ZonedDateTime or PlainDate.",
    });
  }
  return new ArgumentError(`${shown} names no time zone.`, {
    hint: 'Give .toZonedDateTime("Europe/Berlin"), or .toPlainDate() for the whole day.',
  });
}
