/** Distinct ids of features whose steps are packed as the codes from 0 to 400. */
export const packedIds: readonly number[] = [1, -1].flatMap((sign) => {
  const first = sign === 1 ? 0 : 10_000;
  return Array.from({ length: 201 }, (_, at) => first + sign * (at % 2 ? (at + 1) / 2 : -at / 2));
});
