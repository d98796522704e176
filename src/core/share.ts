/** Whether a value is a share of a whole. */
export function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

/**
 * What to do about a value that is no share.
 *
 * @param whole what 1 is
 */
export function shareHint(value: unknown, whole: string): string {
  const isPercent = typeof value === "number" && value > 1 && value <= 100;
  return isPercent ? `Of ${value} % the share is ${value / 100}.` : `1 is ${whole}.`;
}
