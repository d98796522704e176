import { InvalidArgumentError } from "commander";

/** Reads an option that takes an integer within bounds. */
export function integerOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes an integer from ${min} to ${max}.`);
  };
}

/** Reads an id, or `null` for none. */
export function integerOrNull(text: string): number | null {
  return text === "null" ? null : integerOption(0, Number.MAX_SAFE_INTEGER)(text);
}
