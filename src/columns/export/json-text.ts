/**
 * A value as JSON text. A `bigint`, which SQL gives for integers that a double cannot hold, is a number where it is exact and
 * else the text of its digits: JSON has no other.
 */
export function jsonText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? plainInteger(inner) : inner)) ?? "null"
  );
}

/** An integer as a number where it is exact, else as text. */
export function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** An integer of a column of 64-bit integers. */
export function int64Of(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value));
}
