// Text of positions, distances and areas.
import { formatCount, formatNumber, formatSignificant, type NumberLocale } from "./format-number.js";

type Position = readonly [longitude: number, latitude: number];

/** Returns a position in the form that web maps accept: `48.1371540, 11.5761240`. */
export function formatCoordinates([longitude, latitude]: Position): string {
  return `${latitude.toFixed(7)}, ${longitude.toFixed(7)}`;
}

/** Returns a position for readers: `48.13715° N, 11.57612° E`. */
export function formatDegrees([longitude, latitude]: Position): string {
  const angle = (degrees: number) => `${Math.abs(degrees).toFixed(5)}°`;
  return `${angle(latitude)} ${latitude < 0 ? "S" : "N"}, ${angle(longitude)} ${longitude < 0 ? "W" : "E"}`;
}

/** Returns the name of a meridian: `30° W`, `0°`, `180°`. Longitudes beyond 180 continue around the globe. */
export function formatLongitude(degrees: number): string {
  const east = degrees - 360 * Math.floor((degrees + 180) / 360);
  const side = east % 180 === 0 ? "" : east < 0 ? " W" : " E";
  return `${Math.abs(east)}°${side}`;
}

/** Returns the name of a parallel: `60° N`, `0°`. */
export function formatLatitude(degrees: number): string {
  return `${Math.abs(degrees)}°${degrees === 0 ? "" : degrees < 0 ? " S" : " N"}`;
}

/** Returns the size of an area seen from afar: `870 m`, `1.23 km`. */
export function formatExtent(meters: number, locale: NumberLocale = {}): string {
  return meters < 1000 ? `${Math.round(meters)} m` : `${formatSignificant(meters / 1000, 3, locale)} km`;
}

/** Returns the label of a scale bar with a round length: `0.5 m`, `200 m`, `5 km`. */
export function formatScale(meters: number): string {
  return meters >= 1000 ? `${formatCount(meters / 1000)} km` : `${meters} m`;
}

/** Returns a measured length: `7.25 m`, `310.4 m`, `12.3 km`. */
export function formatLength(meters: number, locale: NumberLocale = {}): string {
  return meters < 10_000 ? `${measured(meters, locale)} m` : `${measured(meters / 1000, locale)} km`;
}

/** Returns a measured area: `530.2 m²`, `1.25 km²`. */
export function formatArea(squareMeters: number, locale: NumberLocale = {}): string {
  return squareMeters < 1e6 ? `${measured(squareMeters, locale)} m²` : `${measured(squareMeters / 1e6, locale)} km²`;
}

function measured(value: number, locale: NumberLocale): string {
  return formatNumber(value, { decimals: value < 10 ? 2 : value < 1000 ? 1 : 0, ...locale });
}
