/** What datasets and their features represent, as the specification lists it. A service may have others. */
export const semanticTypes = [
  "DEVIATIONS",
  "SOLAR_ANOMALIES",
  "WIND_ANOMALIES",
  "TRENCHES",
  "SOLAR_PANELS",
  "FENCES",
  "ROADS",
  "PUNCH_LIST_ITEMS",
  "ANNOTATIONS",
  "THERMAL",
  "DIGITAL_SURFACE_MODEL",
  "RGB",
] as const;

/** One of them, or another text. An editor offers those that are listed. */
export type SemanticType = (typeof semanticTypes)[number] | (string & {});
