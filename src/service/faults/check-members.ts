import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** What a member of a JSON object must be. */
export interface Check {
  /** `a positive integer`, as it reads after "must be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  readonly required?: boolean;
}

export type Checks = Readonly<Record<string, Check>>;
export type JsonMembers = Readonly<Record<string, unknown>>;

const object: Check = { expected: "an object", accepts: isObject };

/**
 * Returns the value if it is an object with no members but these, each as it must be.
 *
 * @param path JSON path of the value
 * @throws ArgumentError with the JSON path of what is wrong
 */
export function checkMembers(path: string, value: unknown, checks: Checks): JsonMembers {
  if (!isObject(value)) throw violation(path, object, value);
  for (const [name, check] of Object.entries(checks)) {
    const member = value[name];
    const isFine = member === undefined ? !check.required : check.accepts(member);
    if (!isFine) throw violation(`${path}.${name}`, check, member);
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    throw new ArgumentError(`${path} has no member ${showValue(unknown)}.`, {
      hint: `It takes: ${Object.keys(checks).join(", ")}.`,
      facts: { path },
    });
  }
  return value;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function violation(path: string, { expected }: Check, value: unknown): ArgumentError {
  return new ArgumentError(`${path} must be ${expected}, but got ${showValue(value)}.`, { facts: { path } });
}
