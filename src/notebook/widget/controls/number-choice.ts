import type { Choice } from "./control.js";

/** Numbers from `min` to `max`. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly label: string;
  /** The first value. */
  readonly value: number;
}

/** What a slider over numbers chooses from. */
export function numberChoice(call: string, { min, max, step, label, value }: NumberRange): Choice<unknown> {
  const isWithin = (at: unknown): at is number => typeof at === "number" && at >= min && at <= max;
  return {
    ...{ call, label, start: value },
    state: { kind: "slider", min, max, step },
    valueAt: (at) => (isWithin(at) ? { value: at } : undefined),
    placeOf: (wanted) => (isWithin(wanted) ? wanted : undefined),
    textOf: String,
  };
}
