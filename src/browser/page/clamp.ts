/** The nearest number within limits. */
export function clamp(least: number, greatest: number, value: number): number {
  return Math.max(least, Math.min(greatest, value));
}
