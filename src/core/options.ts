import { ArgumentError } from "./errors.js";
import { nearestName } from "./nearest-name.js";
import { showValue } from "./show-value.js";

/**
 * Checks a call's options: an object with known options only. An undefined option is omitted.
 *
 * @param call as users write it: `history.asOf()`
 * @param given the options that the caller passed
 * @param rules one for each option
 * @throws ArgumentError for an unknown option, and for an invalid value. Values of unknown options are not shown: they
 * may be a key under a misspelled name.
 */
export function checkOptions<Options extends object>(
  call: string,
  given: Options | undefined,
  rules: OptionRules<Options>,
): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof Date) {
    throw new ArgumentError(`${call}: options must be an object, but got ${showValue(given)}.`, {
      hint: namesHint(rules),
      facts: { call },
    });
  }
  for (const [name, value] of Object.entries(given)) {
    const rule = ruleOf(rules, name);
    if (!rule) throw unknownOption(call, name, rules);
    if (value !== undefined && !rule.accepts(value)) throw refusedValue(call, name, value, rule);
  }
  for (const [name, { takes, isRequired }] of Object.entries<OptionRule>(rules)) {
    if (!isRequired || given[name as keyof Options] !== undefined) continue;
    throw new ArgumentError(`${call} needs the option ${name}: ${takes}.`, { facts: { call, option: name } });
  }
}

/** The same for a call whose options cannot be omitted. */
export function requireOptions<Options extends object>(
  call: string,
  given: Options | undefined,
  rules: OptionRules<Options>,
): void {
  checkOptions(call, given ?? (null as unknown as Options), rules);
}

/** Returns the options without undefined values. */
export function givenOptions<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Options]?: Exclude<Options[Name], undefined>;
  };
}

function ruleOf(rules: object, name: string): OptionRule | undefined {
  return Object.hasOwn(rules, name) ? (rules as Readonly<Record<string, OptionRule>>)[name] : undefined;
}

function unknownOption(call: string, option: string, rules: object): ArgumentError {
  const meant = nearestName(option, Object.keys(rules));
  return new ArgumentError(`${call} has no option ${showValue(option)}.`, {
    hint: meant === undefined ? namesHint(rules) : `Did you mean ${meant}?`,
    facts: { call, option },
  });
}

function refusedValue(call: string, option: string, value: unknown, rule: OptionRule): ArgumentError {
  const meant = typeof value === "string" ? nearestName(value, rule.texts ?? []) : undefined;
  const entry = rule.refusedEntry?.(value);
  const got = entry ? `${showValue(entry.value)} for ${showValue(entry.name)}` : showValue(value);
  const hint = meant === undefined ? entry?.hint : `Did you mean ${showValue(meant)}?`;
  return new ArgumentError(`${call}: ${option} must be ${rule.takes}, but got ${got}.`, {
    ...(hint === undefined ? {} : { hint }),
    facts: { call, option, ...(entry && { entry: entry.name }) },
  });
}

function namesHint(rules: object): string {
  const names = Object.keys(rules);
  return names.length === 0 ? "Pass no options." : `Options: ${names.join(", ")}.`;
}

/** The values that one option of a call accepts. */
export interface OptionRule {
  /** A phrase to follow "must be". */
  readonly takes: string;
  /** All known strings, if the set is closed. */
  readonly texts?: readonly string[];
  /** The same, if the option accepts only these strings. */
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** JSON Schema of the values that JSON can hold; absent if they have no common type. */
  readonly schema?: ValueSchema | undefined;
  /** Whether a value is valid. */
  accepts(value: unknown): boolean;
  /** The invalid entry of a rejected object, if a single entry is to blame. */
  refusedEntry?(value: unknown): RefusedEntry | undefined;
}

/** The part of JSON Schema that options need. */
export interface ValueSchema {
  readonly type: string | string[];
  readonly items?: { readonly type: string };
  readonly minimum?: number;
  readonly enum?: string[];
  readonly required?: string[];
}

/** An invalid entry of an object. */
export interface RefusedEntry {
  readonly name: string;
  readonly value: unknown;
  /** How to fix it. */
  readonly hint?: string | undefined;
}

/** A rule for each option of a call: the only description of the options that the call accepts. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/** A value that is checked elsewhere or not at all. */
export const anything: OptionRule = { takes: "anything", accepts: () => true };

export const flag: OptionRule = {
  takes: "true or false",
  schema: { type: "boolean" },
  accepts: (value) => typeof value === "boolean",
};

export const text: OptionRule = {
  takes: "a string",
  schema: { type: "string" },
  accepts: (value) => typeof value === "string" && value !== "",
};

export const texts: OptionRule = {
  takes: "an array of strings",
  schema: { type: "array", items: { type: "string" } },
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

export const list: OptionRule = { takes: "an array", schema: { type: "array" }, accepts: Array.isArray };

/** An object whose members are checked elsewhere. */
export function objectOf(takes: string): OptionRule {
  return {
    takes,
    schema: { type: "object" },
    accepts: (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date),
  };
}

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
  schema: { type: "number" },
  accepts: (value) => typeof value === "number" && Number.isFinite(value),
};

/** A finite number from `least` to `most`. */
export function numberFrom(least: number, most = Number.MAX_VALUE): OptionRule {
  return {
    takes: most < Number.MAX_VALUE ? `a number from ${least} to ${most}` : `a number of at least ${least}`,
    schema: { type: "number", minimum: least },
    accepts: (value) => typeof value === "number" && value >= least && value <= most,
  };
}

/** The same rule for an option that cannot be omitted. */
export function required(rule: OptionRule): OptionRule {
  return { ...rule, isRequired: true };
}

/** Maximum delay of setTimeout, 31 bits; other counts stay far below it. */
const HIGHEST = 2 ** 31 - 1;

/** An integer from `least` to `most`. */
export function integerFrom(least: number, most = HIGHEST): OptionRule {
  return {
    takes: most < HIGHEST ? `an integer from ${least} to ${most}` : `an integer of at least ${least}`,
    schema: { type: "integer", minimum: least },
    accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

/** One of some strings. */
export function oneOf(...values: readonly string[]): OptionRule {
  return {
    takes: values.map((value) => showValue(value)).join(" or "),
    texts: values,
    choices: values,
    schema: { type: "string", enum: [...values] },
    accepts: (value) => values.some((one) => one === value),
  };
}
