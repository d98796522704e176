const BARS = 20;
const DAY = 86_400_000;
const DATE_STEPS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, DAY];

/** A round width of bars, so that about twenty of them go from the least to the greatest value. */
export function barStep(kind: "number" | "date", least: number, greatest: number, areWhole: boolean): number {
  const wanted = greatest / BARS - least / BARS;
  if (!(wanted > 0)) return 1;
  if (kind === "date") {
    return DATE_STEPS.find((step) => step >= wanted) ?? DAY * Math.ceil(wanted / DAY);
  }
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= wanted) ?? 10);
  return areWhole ? Math.max(1, step) : step;
}
