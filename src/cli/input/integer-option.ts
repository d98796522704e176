import { InvalidArgumentError } from "commander";

/** Reads an option that takes an integer within bounds. */
export function integerOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes an integer from ${min} to ${max}.`);
  };
}
