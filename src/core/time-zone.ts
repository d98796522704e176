import { ArgumentError } from "./errors.js";
import { showValue } from "./show-value.js";

/** Offsets that Temporal accepts as time zones. */
const OFFSET = /^[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?$/;

/**
 * Checks an IANA time zone and returns it.
 *
 * @throws ArgumentError if it is unknown
 */
export function resolveTimeZone(timeZone = "UTC"): string {
  if (isTimeZone(timeZone)) return timeZone;
  throw new ArgumentError(`Unknown time zone ${showValue(timeZone)}.`, {
    hint: 'Use an IANA name: timeZone: "Europe/Berlin".',
  });
}

function isTimeZone(text: unknown): boolean {
  if (typeof text !== "string") return false;
  if (OFFSET.test(text)) return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
