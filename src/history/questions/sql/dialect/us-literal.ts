/** A time as a literal. Far times are inexact as numbers: their text would be another time than the one that is meant. */
export function usLiteral(us: number): string {
  return String(BigInt(us));
}
