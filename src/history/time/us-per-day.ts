/** A day as a unit of elapsed time: 24 hours, whatever clocks were doing. */
export const US_PER_DAY = 86_400_000_000;
