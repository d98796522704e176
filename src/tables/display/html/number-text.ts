/** From here on digits behind the point are noise, and `toFixed` begins to write exponents. */
const HUGE = 1e15;

/** A number with so many decimals. Whole numbers stay whole, and what is not zero does not read as zero. */
export function numberText(value: number, decimals: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value) || Math.abs(value) >= HUGE) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? value.toPrecision(2) : text;
}
