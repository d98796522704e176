import { ArgumentError } from "./errors.js";
import { nearestName } from "./nearest-name.js";
import type { OptionRule, OptionRules } from "./option-rules.js";
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
  return new ArgumentError(`${call}: ${option} takes ${rule.takes}, but got ${showValue(value)}.`, {
    ...(meant === undefined ? {} : { hint: `Did you mean ${showValue(meant)}?` }),
    facts: { call, option },
  });
}

function namesHint(rules: object): string {
  const names = Object.keys(rules);
  return names.length === 0 ? "It has no options." : `It takes: ${names.join(", ")}.`;
}
