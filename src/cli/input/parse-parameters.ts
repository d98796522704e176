import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/**
 * Reads `name=value` pairs: a value that is JSON as JSON, any other as text. A number that a double does not hold is refused:
 * it would arrive as another one.
 *
 * @throws ArgumentError for a pair without a name or an equals sign, and for such a number
 */
export function parseParameters(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): readonly [string, unknown] {
  const equals = pair.indexOf("=");
  if (equals < 1) {
    throw new ArgumentError(`The parameter ${showValue(pair)} is no name=value pair.`, {
      hint: "Write -p site_id=12.",
    });
  }
  const [name, text] = [pair.slice(0, equals), pair.slice(equals + 1)];
  return [name, jsonOrText(text, `The parameter ${name}`, (quoted) => `-p '${name}=${quoted}'`)];
}

/**
 * What a text of the command line means: JSON, or itself.
 *
 * @param what is said to be wrong, at the beginning of a sentence
 * @param written how the value is written on the command line
 * @throws ArgumentError for JSON with a number that would become another one
 */
export function jsonOrText(text: string, what: string, written: (value: string) => string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const changed = (text.match(JSON_TOKEN) ?? []).find((token) => /^[-\d]/.test(token) && !isExact(token));
  if (changed === undefined) return value;
  const became = showNumber(Number(changed));
  throw new ArgumentError(`${what} has the number ${changed}, which no number here holds: it would become ${became}.`, {
    hint: `Give it as text: ${written(text === changed ? `"${text}"` : text.replace(changed, `"${changed}"`))}.`,
    facts: { number: changed },
  });
}

/** Texts, which may have digits in them, and numbers. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Whether the double of a JSON number is shown as the same number: its digits may be written in another way. */
function isExact(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && decimal(token) === decimal(showNumber(number));
}

/** A decimal number in one form: its digits without zeros at either end, and the place of the last. */
function decimal(token: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return `${sign}0`;
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`;
}

function showNumber(number: number): string {
  return Object.is(number, -0) ? "-0" : String(number);
}
