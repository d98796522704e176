/** How what is not known is hatched, in CSS pixels. */
export const hatching = { size: 6, lineWidth: 1.2, lineOpacity: 0.55, groundOpacity: 0.08 };
