import { showValue } from "./show-value.js";

/** What one option of a call may be. */
export interface OptionRule {
  /** In words, to stand behind "takes". */
  readonly takes: string;
  /** The texts that it knows, where those are all. */
  readonly texts?: readonly string[];
  /** Whether the option may be this. */
  accepts(value: unknown): boolean;
}

/** A rule for each option of a call: the one description of what the call takes. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/** Judged elsewhere, or by nobody. */
export const anything: OptionRule = { takes: "anything", accepts: () => true };

export const flag: OptionRule = { takes: "true or false", accepts: (value) => typeof value === "boolean" };

export const text: OptionRule = {
  takes: "a text",
  accepts: (value) => typeof value === "string" && value !== "",
};

export const texts: OptionRule = {
  takes: "an array of texts",
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

export const list: OptionRule = { takes: "an array", accepts: Array.isArray };

export const callback: OptionRule = { takes: "a function", accepts: (value) => typeof value === "function" };

export const abortSignal: OptionRule = {
  takes: "an AbortSignal",
  accepts: (value) => value instanceof AbortSignal,
};

export const date: OptionRule = {
  takes: "a Date",
  accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
};

export const numeric: OptionRule = {
  takes: "a number",
  accepts: (value) => typeof value === "number" && Number.isFinite(value),
};

/** setTimeout counts in 31 bits, and no other count comes near. */
const HIGHEST = 2 ** 31 - 1;

/** An integer that is not below `least`, nor above `most`. */
export function integerFrom(least: number, most = HIGHEST): OptionRule {
  return {
    takes: `an integer from ${least}${most < HIGHEST ? ` to ${most}` : ""}`,
    accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

/** One of these texts. */
export function oneOf(...known: readonly string[]): OptionRule {
  return {
    takes: known.map((value) => showValue(value)).join(" or "),
    texts: known,
    accepts: (value) => known.some((one) => one === value),
  };
}
