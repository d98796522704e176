/** Hatching of unknown values, in CSS pixels. */
export const hatching = { size: 6, lineWidth: 1.2, lineOpacity: 0.55, basemapOpacity: 0.08 };
