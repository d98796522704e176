import { ArgumentError } from "./errors.js";
import { nearestName } from "./nearest-name.js";
import { showValue } from "./show-value.js";

/**
 * Checks what a caller gave as options: one object that has options of the call and no others. An option that is
 * undefined is left out.
 *
 * @param call as users write it: `history.asOf()`
 * @param given what the caller gave
 * @param rules one for each option
 * @throws ArgumentError for a name that the call does not have, and a value that the option does not take. Values of
 * unknown options are not shown: they may be a key under a name that slipped.
 */
export function checkOptions<Options extends object>(
  call: string,
  given: Options | undefined,
  rules: OptionRules<Options>,
): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof Date) {
    throw new ArgumentError(`${call} takes an object of options, got ${showValue(given)}.`, {
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

/** The same for a call that cannot do without options. */
export function requireOptions<Options extends object>(
  call: string,
  given: Options | undefined,
  rules: OptionRules<Options>,
): void {
  checkOptions(call, given ?? (null as unknown as Options), rules);
}

/** The options of some that are given. */
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
  return new ArgumentError(`${call}: ${option} takes ${rule.takes}, but got ${got}.`, {
    ...(hint === undefined ? {} : { hint }),
    facts: { call, option, ...(entry && { entry: entry.name }) },
  });
}

function namesHint(rules: object): string {
  const names = Object.keys(rules);
  return names.length === 0 ? "It has no options." : `It takes: ${names.join(", ")}.`;
}

/** What one option of a call may be. */
export interface OptionRule {
  /** In words, to stand behind "takes". */
  readonly takes: string;
  /** The texts that it knows, where those are all. */
  readonly texts?: readonly string[];
  /** The same, where it takes nothing else. */
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** JSON Schema of the values that JSON can hold; absent if they have no common type. */
  readonly schema?: ValueSchema | undefined;
  /** Whether the option may be this. */
  accepts(value: unknown): boolean;
  /** Of an object that it does not take the entry that is to blame, where it is one. */
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

/** An entry of an object that an option does not take. */
export interface RefusedEntry {
  readonly name: string;
  readonly value: unknown;
  /** What to do. */
  readonly hint?: string | undefined;
}

/** A rule for each option of a call: the one description of what the call takes. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/** Judged elsewhere, or by nobody. */
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
  takes: "an array of texts",
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

/** A finite number that is not below `least`, nor above `most`. */
export function numberFrom(least: number, most = Number.MAX_VALUE): OptionRule {
  return {
    takes: `a number from ${least}${most < Number.MAX_VALUE ? ` to ${most}` : ""}`,
    schema: { type: "number", minimum: least },
    accepts: (value) => typeof value === "number" && value >= least && value <= most,
  };
}

/** The same rule for an option that cannot be omitted. */
export function required(rule: OptionRule): OptionRule {
  return { ...rule, isRequired: true };
}

/** setTimeout counts in 31 bits, and no other count comes near. */
const HIGHEST = 2 ** 31 - 1;

/** An integer that is not below `least`, nor above `most`. */
export function integerFrom(least: number, most = HIGHEST): OptionRule {
  return {
    takes: `an integer from ${least}${most < HIGHEST ? ` to ${most}` : ""}`,
    schema: { type: "integer", minimum: least },
    accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

/** One of these texts. */
export function oneOf(...known: readonly string[]): OptionRule {
  return {
    takes: known.map((value) => showValue(value)).join(" or "),
    texts: known,
    choices: known,
    schema: { type: "string", enum: [...known] },
    accepts: (value) => known.some((one) => one === value),
  };
}
