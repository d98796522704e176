import { type Diagnostic, withSeverity } from "./diagnostic.js";
import { ArgumentError } from "./errors.js";
import type { OptionRule } from "./options.js";
import { showValue } from "./show-value.js";

/** A time zone, or the time zone of each site by its id: `"Europe/Madrid"`, `{ 101: "Europe/Madrid" }`. */
export type TimeZones = string | Readonly<Record<string, string>>;

/** Rule of an option of time zones. Unknown names are refused by `checkTimeZones()`, with a hint. */
export const timeZonesRule: OptionRule = {
  takes: 'a time zone, or time zones by site id such as { 101: "Europe/Madrid" }',
  accepts: (value) =>
    typeof value === "string" ||
    (typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([site, zone]) => /^\d+$/.test(site) && typeof zone === "string")),
};

/** @throws ArgumentError for an unknown time zone */
export function checkTimeZones(given: TimeZones | undefined): void {
  for (const zone of typeof given === "object" ? Object.values(given) : [given]) resolveTimeZone(zone);
}

/**
 * Returns the distinct time zones of sites: for each site that of the first option that has one, else UTC.
 *
 * @param options of the call, then of what it was called on
 * @param sites returns the ids; without sites, an option for all of them decides
 */
export function timeZonesOf(
  options: readonly (TimeZones | undefined)[],
  sites: () => Iterable<unknown>,
): readonly string[] {
  const bySite: Readonly<Record<string, string>>[] = [];
  let general = "UTC";
  for (const option of options) {
    if (typeof option === "string") {
      general = option;
      break;
    }
    if (option) bySite.push(option);
  }
  if (bySite.length === 0) return [general];
  const zoneOf = (site: string) => bySite.find((zones) => Object.hasOwn(zones, site))?.[site] ?? general;
  const zones = new Set(Array.from(new Set(sites()), (site) => zoneOf(String(site))));
  return zones.size === 0 ? [general] : [...zones];
}

/**
 * The common time zone of sites. Several zones have no common calendar, so UTC is used, with a diagnostic.
 *
 * @param options of the call, then of what it was called on
 * @param rows subject of the diagnostic: `features`
 */
export function commonTimeZone(
  options: readonly (TimeZones | undefined)[],
  sites: () => Iterable<unknown>,
  rows: string,
): { readonly timeZone: string; readonly diagnostics: readonly Diagnostic[] } {
  const zones = timeZonesOf(options, sites);
  const [timeZone = "UTC", ...others] = zones;
  if (others.length === 0) return { timeZone, diagnostics: [] };
  const message = `The sites of the ${rows} are in ${zones.length} time zones (${zones.join(", ")}). Times are shown, and days end, in UTC. Read one site at a time, or pass one zone: timeZone: "${timeZone}".`;
  const diagnostic = { code: "time-zone-differs", message, count: zones.length, facts: { timeZones: zones } } as const;
  return { timeZone: "UTC", diagnostics: [withSeverity(diagnostic)] };
}

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
  if (/^[+-]/.test(text)) return OFFSET.test(text);
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
